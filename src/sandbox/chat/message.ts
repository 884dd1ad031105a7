import type { Attachment } from './attachment.ts';
import type { Payload } from './payload.ts';
import type { User } from './user.ts';

/** Discord's bits for a message's `flags`. */
export const MESSAGE_FLAGS = {
  SUPPRESS_EMBEDS: 4,
  EPHEMERAL: 64,
  LOADING: 128,
  SUPPRESS_NOTIFICATIONS: 4096,
  IS_VOICE_MESSAGE: 8192,
  HAS_SNAPSHOT: 16_384,
  IS_COMPONENTS_V2: 32_768,
} as const;

/** The part of a message that is visible to readers. */
export interface MessageBody {
  readonly content: string;
  /** The embeds in the form that the API returns. */
  readonly embeds: readonly Payload[];
  readonly attachments: readonly Attachment[];
  /** The components in the form that the API returns, with ids. */
  readonly components: readonly Payload[];
  readonly flags: number;
  readonly mentions: Mentions;
}

/** The users and roles that a message notifies, with `allowed_mentions` already applied. */
export interface Mentions {
  readonly users: readonly User[];
  readonly roleIds: readonly string[];
  readonly everyone: boolean;
}

/** A state of a message. `atMs` is the time of the creation or edit that led to this state. */
interface Revision {
  readonly atMs: number;
  readonly body: MessageBody;
}

/** A message in the state in which it was forwarded. */
export interface Snapshot {
  readonly message: Message;
  readonly body: MessageBody;
}

/** The origin of a message that an interaction created. */
export interface MessageOrigin {
  readonly interactionId: string;
  readonly interactionType: number;
  readonly applicationId: string;
  readonly user: User;
  /** The command's full name, or null for a component or modal. */
  readonly commandName: string | null;
  /** The message whose component was used. */
  readonly sourceMessageId: string | null;
  /** The id of the first reply, if the message is a follow-up. */
  readonly followUpTo: string | null;
  readonly guildId: string | null;
  /** The interaction that opened the form, if the message comes from one. */
  readonly opener: MessageOrigin | null;
}

/** A message with all its states. Deleted messages are kept and marked as deleted. */
export interface Message {
  readonly id: string;
  readonly channelId: string;
  readonly guildId: string | null;
  readonly author: User;
  /** 0 default, 19 reply, 20 slash command, 23 context menu command. */
  readonly type: number;
  readonly nonce: string | number | null;
  readonly replyToId: string | null;
  /** The content of a forward: another message in the state in which it was forwarded. */
  readonly forwarded: Snapshot | null;
  readonly origin: MessageOrigin | null;
  readonly createdAtMs: number;
  body: MessageBody;
  /** All states of the message, the current one last. */
  readonly revisions: Revision[];
  editedAtMs: number | null;
  deletedAtMs: number | null;
  /** Increases with every change, including deletion. */
  version: number;
}

/** Whether a message currently has a flag. */
export function hasFlag(message: Message, flag: keyof typeof MESSAGE_FLAGS): boolean {
  return (message.body.flags & MESSAGE_FLAGS[flag]) !== 0;
}
