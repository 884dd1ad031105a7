import type { Attachment } from './attachment.ts';
import type { Payload } from './payload.ts';
import type { User } from './user.ts';

/** Discord's bits of `flags`. */
export const MESSAGE_FLAGS = {
  SUPPRESS_EMBEDS: 4,
  EPHEMERAL: 64,
  LOADING: 128,
  SUPPRESS_NOTIFICATIONS: 4096,
  IS_VOICE_MESSAGE: 8192,
  HAS_SNAPSHOT: 16_384,
  IS_COMPONENTS_V2: 32_768,
} as const;

/** What a reader of a message sees. */
export interface MessageBody {
  readonly content: string;
  /** In the form the API answers with. */
  readonly embeds: readonly Payload[];
  readonly attachments: readonly Attachment[];
  /** In the form the API answers with, ids filled in. */
  readonly components: readonly Payload[];
  readonly flags: number;
  readonly mentions: Mentions;
}

/** Whom a message really notifies, after `allowed_mentions`. */
export interface Mentions {
  readonly users: readonly User[];
  readonly roleIds: readonly string[];
  readonly everyone: boolean;
}

/** An earlier state of a message and when it was replaced. */
interface Revision {
  readonly atMs: number;
  readonly body: MessageBody;
}

/** A message as it was when somebody forwarded it. */
export interface Snapshot {
  readonly message: Message;
  readonly body: MessageBody;
}

/** Where a message came from, when an interaction made it. */
export interface MessageOrigin {
  readonly interactionId: string;
  readonly interactionType: number;
  readonly applicationId: string;
  readonly user: User;
  /** The command's full name, or null for a component or modal. */
  readonly commandName: string | null;
  /** The message whose component was used. */
  readonly sourceMessageId: string | null;
  /** For a follow-up: the id of the first reply. */
  readonly followUpTo: string | null;
  readonly guildId: string | null;
  /** For a form: where it was opened. */
  readonly opener: MessageOrigin | null;
}

/** A message with all its states; deleted ones stay, marked. */
export interface Message {
  readonly id: string;
  readonly channelId: string;
  readonly guildId: string | null;
  readonly author: User;
  /** 0 default, 19 reply, 20 slash command, 23 context menu command. */
  readonly type: number;
  readonly nonce: string | number | null;
  readonly replyToId: string | null;
  /** What a forward shows: another message as it was then. */
  readonly forwarded: Snapshot | null;
  readonly origin: MessageOrigin | null;
  readonly createdAtMs: number;
  body: MessageBody;
  /** Every state the message had, the current one last. */
  readonly revisions: Revision[];
  editedAtMs: number | null;
  deletedAtMs: number | null;
  /** Grows with every change, deletion included. */
  version: number;
}

/** Whether a message has a flag now. */
export function hasFlag(message: Message, flag: keyof typeof MESSAGE_FLAGS): boolean {
  return (message.body.flags & MESSAGE_FLAGS[flag]) !== 0;
}
