import type { Message } from './message.ts';
import type { Avatar, User } from './user.ts';

/** A role of a guild. */
export interface Role {
  readonly id: string;
  name: string;
  permissions: bigint;
  position: number;
  /** The id of the bot whose invitation created this role, or null. */
  readonly botUserId: string | null;
}

/** A user in a guild. */
export interface Member {
  readonly user: User;
  nick: string | null;
  /** The avatar for this guild only. */
  avatar: Avatar | null;
  roleIds: string[];
  /** Whether a moderator has muted the member in every voice channel of the guild. */
  isMuted: boolean;
  isDeafened: boolean;
  readonly joinedAtMs: number;
}

/** The permissions that a channel allows and denies for one role or member. */
export interface Overwrite {
  /** The id of a role or a user. The guild's id stands for @everyone. */
  readonly id: string;
  readonly type: 'role' | 'member';
  readonly allow: bigint;
  readonly deny: bigint;
}

/** Discord's numbers for channel types. */
export const CHANNEL_TYPES = { text: 0, dm: 1, voice: 2, stage: 13 } as const;
/** The name of a channel type. */
export type ChannelKind = keyof typeof CHANNEL_TYPES;

/** A channel of a guild, or a direct message. */
export interface Channel {
  readonly id: string;
  readonly kind: ChannelKind;
  /** Null for a direct message. */
  readonly guildId: string | null;
  name: string;
  position: number;
  overwrites: Overwrite[];
  /** The users in a direct message; empty for a guild's channel. */
  readonly recipients: readonly User[];
  /** The messages, oldest first, including deleted ones. */
  readonly messages: Message[];
  /** The maximum number of members in a voice channel; 0 means no limit. */
  userLimit: number;
  /** The status text below a voice channel's name. */
  voiceStatus: string | null;
  isAgeRestricted: boolean;
}

/** A member in a voice channel. The object stays the same until the member leaves voice; a move changes `channelId`. */
export interface VoiceState {
  readonly guildId: string;
  readonly member: Member;
  channelId: string;
  /** The id of the gateway session that joined. */
  readonly sessionId: string;
  selfMute: boolean;
  selfDeaf: boolean;
  /** Whether the member may only listen: in a stage's audience, or without permission to speak. */
  isSuppressed: boolean;
  /** When the member raised a hand on a stage, in epoch milliseconds, or null. */
  requestedToSpeakAtMs: number | null;
}

/** A guild with everything in it. */
export interface Guild {
  readonly id: string;
  name: string;
  ownerId: string;
  /** The roles by id. The role with the guild's own id is @everyone. */
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
  readonly channels: Map<string, Channel>;
  /** The voice states by user id: which member is in which voice channel. */
  readonly voiceStates: Map<string, VoiceState>;
  /** The maximum size of a file in this guild, in bytes (10 MiB without boosts). */
  attachmentSizeLimitBytes: number;
  preferredLocale: string;
}
