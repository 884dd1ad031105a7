import {
  type APIActionRowComponent,
  type APIComponentInMessageActionRow,
  type APIEmbed,
  MessageFlags,
  type RawFile,
  type REST,
  Routes,
} from 'discord.js';
import { z } from 'zod';
import { DiscordError } from './discord-error.ts';
import type { RequestGuard } from './request-guard.ts';
import { restErrorCode } from './rest-verdict.ts';

/** A row of buttons, or a row with one select menu. */
export type ComponentRow = APIActionRowComponent<APIComponentInMessageActionRow>;

/** The complete visible content of a message. An edit removes everything that is not listed. */
export interface MessageBody {
  readonly content: string;
  readonly embeds: readonly APIEmbed[];
  readonly attachments: readonly {
    readonly id: string;
    readonly filename: string;
    readonly description: string;
  }[];
  readonly components: readonly ComponentRow[];
  readonly allowed_mentions: { readonly parse: readonly [] };
}

/** The fields of a returned message that the bot uses. */
export interface SeenMessage {
  readonly id: string;
  /** Bits of `MessageFlags`. */
  readonly flags: number;
  readonly authorId: string;
  readonly title: string | null;
  readonly footer: string | null;
  readonly attachmentCount: number;
}

/** Identifies an interaction's deferred reply. Calls that use it do not need the bot's own token. */
export interface InteractionAddress {
  readonly applicationId: string;
  readonly interactionToken: string;
}

/** A message to post, or the new content of an existing message. */
export interface Outgoing {
  readonly body: MessageBody;
  readonly files: readonly RawFile[];
}

const UNKNOWN_MESSAGE = 10008;

const seenMessage: z.ZodType<SeenMessage> = z
  .object({
    id: z.string().regex(/^\d{1,20}$/),
    flags: z.number().default(0),
    author: z.object({ id: z.string() }),
    embeds: z
      .array(z.object({ title: z.string().optional(), footer: z.object({ text: z.string() }).optional() }))
      .default([]),
    attachments: z.array(z.unknown()).default([]),
  })
  .transform((message) => ({
    id: message.id,
    flags: message.flags,
    authorId: message.author.id,
    title: message.embeds[0]?.title ?? null,
    footer: message.embeds[0]?.footer?.text ?? null,
    attachmentCount: message.attachments.length,
  }));

/**
 * The REST calls for messages, one method each. They pass on the REST client's errors, or throw `malformed`. Calls with
 * the bot's own token also throw `unreachable` while the guard holds requests back.
 */
export class MessageCalls {
  readonly #rest: REST;
  readonly #guard: RequestGuard | undefined;

  constructor(rest: REST, guard?: RequestGuard) {
    this.#rest = rest;
    this.#guard = guard;
  }

  /** Returns the deferred reply in its current state. */
  async getOriginal(address: InteractionAddress, signal: AbortSignal): Promise<SeenMessage> {
    const route = originalRoute(address);
    return parse(seenMessage, await this.#rest.get(route, { auth: false, signal }));
  }

  /** Edits the deferred reply with the interaction's token instead of the bot's. */
  async editOriginal(
    address: InteractionAddress,
    message: Outgoing,
    signal: AbortSignal,
  ): Promise<SeenMessage> {
    const options = { body: message.body, files: [...message.files], auth: false, signal };
    return parse(seenMessage, await this.#rest.patch(originalRoute(address), options));
  }

  /**
   * Deletes the deferred reply. It may be gone already, for example because an earlier attempt succeeded but its
   * response was lost.
   */
  async deleteOriginal(address: InteractionAddress, signal: AbortSignal): Promise<void> {
    try {
      await this.#rest.delete(originalRoute(address), { auth: false, signal });
    } catch (error) {
      if (restErrorCode(error) !== UNKNOWN_MESSAGE) throw error;
    }
  }

  /** Sends another reply to an interaction; only the member sees it. */
  async whisper(address: InteractionAddress, body: MessageBody, signal: AbortSignal): Promise<SeenMessage> {
    const route = Routes.webhook(address.applicationId, address.interactionToken);
    const options = { body: { ...body, flags: MessageFlags.Ephemeral }, auth: false, signal };
    return parse(seenMessage, await this.#rest.post(route, options));
  }

  async editMessage(
    { channelId, messageId }: { readonly channelId: string; readonly messageId: string },
    message: Outgoing,
    signal: AbortSignal,
  ): Promise<SeenMessage> {
    this.#guard?.demandPost();
    const options = { body: message.body, files: [...message.files], signal };
    return parse(seenMessage, await this.#rest.patch(Routes.channelMessage(channelId, messageId), options));
  }

  async deleteMessage(channelId: string, messageId: string, signal: AbortSignal): Promise<void> {
    this.#guard?.demandPost();
    await this.#rest.delete(Routes.channelMessage(channelId, messageId), { signal });
  }

  /** Posts a message. If `nonce` is repeated within a few minutes, Discord returns the first message instead. */
  async createMessage(
    { channelId, nonce }: { readonly channelId: string; readonly nonce: string },
    message: Outgoing,
    signal: AbortSignal,
  ): Promise<SeenMessage> {
    this.#guard?.demandPost();
    const body = { ...message.body, nonce, enforce_nonce: true };
    const options = { body, files: [...message.files], signal };
    return parse(seenMessage, await this.#rest.post(Routes.channelMessages(channelId), options));
  }

  /**
   * Returns up to `limit` (at most 100) messages, newest first: those before `beforeId`, or the newest ones if it is
   * not set.
   */
  async listMessages(
    channelId: string,
    page: { readonly limit: number; readonly beforeId?: string },
    signal: AbortSignal,
  ): Promise<SeenMessage[]> {
    this.#guard?.demandPost();
    const query = new URLSearchParams({ limit: String(page.limit) });
    if (page.beforeId !== undefined) query.set('before', page.beforeId);
    return parse(
      z.array(seenMessage),
      await this.#rest.get(Routes.channelMessages(channelId), { query, signal }),
    );
  }
}

function originalRoute({ applicationId, interactionToken }: InteractionAddress): `/${string}` {
  return Routes.webhookMessage(applicationId, interactionToken, '@original');
}

function parse<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new DiscordError('malformed', 'Cannot read a message: Discord sent data of an unknown form');
}
