import type { Attachment } from '../chat/attachment.ts';
import { type Message, type MessageBody, hasFlag } from '../chat/message.ts';
import type { Payload } from '../chat/payload.ts';
import { attachmentPayload } from '../chat/message-media.ts';
import { messagePayload } from '../chat/message-payload.ts';
import type { World } from '../chat/world.ts';

/** A file as a reader of the message sees it. */
interface FileView {
  readonly id: string;
  readonly filename: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  readonly description: string | null;
  /** A new signed link. */
  readonly url: string;
  bytes(): Uint8Array;
}

/** One state of a message. */
interface RevisionView {
  /** The time of the creation or edit that led to this state, in epoch milliseconds on the sandbox's clock. */
  readonly atMs: number;
  readonly content: string;
  readonly embeds: readonly Payload[];
  readonly components: readonly Payload[];
  readonly filenames: readonly string[];
}

/** A message in its current state as readers see it. All properties reflect later edits. */
export class MessageView {
  readonly #world: World;
  /** The stored message. */
  readonly entity: Message;

  constructor(world: World, entity: Message) {
    this.#world = world;
    this.entity = entity;
  }

  get id(): string {
    return this.entity.id;
  }

  get channelId(): string {
    return this.entity.channelId;
  }

  /** The author's display name. */
  get author(): string {
    return this.entity.author.globalName ?? this.entity.author.username;
  }

  get byBot(): boolean {
    return this.entity.author.bot;
  }

  get content(): string {
    return this.entity.body.content;
  }

  /** The embeds as the API returns them, including links. */
  get embeds(): readonly Payload[] {
    return messagePayload(this.#world, this.entity)['embeds'] as Payload[];
  }

  get components(): readonly Payload[] {
    return messagePayload(this.#world, this.entity)['components'] as Payload[];
  }

  get attachments(): readonly FileView[] {
    return this.entity.body.attachments.map((attachment) => fileView(this.#world, attachment));
  }

  get flags(): { readonly ephemeral: boolean; readonly loading: boolean; readonly bits: number } {
    return {
      ephemeral: hasFlag(this.entity, 'EPHEMERAL'),
      loading: hasFlag(this.entity, 'LOADING'),
      bits: this.entity.body.flags,
    };
  }

  /** Who was notified by the message: the names of users, the ids of roles, and `@everyone`. */
  get mentions(): readonly string[] {
    const { users, roleIds, everyone } = this.entity.body.mentions;
    return [
      ...users.map((user) => user.globalName ?? user.username),
      ...roleIds,
      ...(everyone ? ['@everyone'] : []),
    ];
  }

  get createdAtMs(): number {
    return this.entity.createdAtMs;
  }

  get deleted(): boolean {
    return this.entity.deletedAtMs !== null;
  }

  get editedCount(): number {
    return this.entity.revisions.length - 1;
  }

  /** All states of the message, oldest first. */
  get history(): readonly RevisionView[] {
    return this.entity.revisions.map(({ atMs, body }) => revisionView(atMs, body));
  }

  /** All visible text, in content, embeds and components, for conditions such as `text.includes('$0.20')`. */
  get text(): string {
    const { content, embeds, components } = this.entity.body;
    return [content, ...strings(embeds), ...strings(components)].join('\n');
  }

  /** Returns the message as the API sends it. */
  toJSON(): Payload {
    return messagePayload(this.#world, this.entity);
  }
}

function revisionView(atMs: number, body: MessageBody): RevisionView {
  return {
    atMs,
    content: body.content,
    embeds: body.embeds,
    components: body.components,
    filenames: body.attachments.map((attachment) => attachment.filename),
  };
}

function fileView(world: World, attachment: Attachment): FileView {
  return {
    id: attachment.id,
    filename: attachment.filename,
    contentType: attachment.contentType,
    size: attachment.bytes.byteLength,
    description: attachment.description,
    url: String(attachmentPayload(world, attachment)['url']),
    bytes: () => attachment.bytes,
  };
}

const SHOWN = new Set(['title', 'description', 'name', 'value', 'text', 'content', 'label', 'placeholder']);

function strings(node: unknown, key = ''): string[] {
  if (typeof node === 'string') return SHOWN.has(key) ? [node] : [];
  if (Array.isArray(node)) return node.flatMap((inner) => strings(inner, key));
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([inner, value]) => strings(value, inner));
}
