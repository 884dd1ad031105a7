import type { Message } from './message.ts';
import type { Avatar, User } from './user.ts';

/** A role of a guild. */
export interface Role {
  readonly id: string;
  name: string;
  permissions: bigint;
  position: number;
  /** The bot that the role belongs to, for the role an invitation makes. */
  readonly botUserId: string | null;
}

/** A user in a guild. */
export interface Member {
  readonly user: User;
  nick: string | null;
  /** The picture of this guild alone. */
  avatar: Avatar | null;
  roleIds: string[];
  /** By the server, in every voice channel of the guild. */
  isMuted: boolean;
  isDeafened: boolean;
  readonly joinedAtMs: number;
}

/** What a channel allows and denies one role or member. */
export interface Overwrite {
  /** A role's or a user's id; the guild's id stands for @everyone. */
  readonly id: string;
  readonly type: 'role' | 'member';
  readonly allow: bigint;
  readonly deny: bigint;
}

/** Discord's numbers of the kinds of channels. */
export const CHANNEL_TYPES = { text: 0, dm: 1, voice: 2, stage: 13 } as const;
/** A kind of channel by name. */
export type ChannelKind = keyof typeof CHANNEL_TYPES;

/** A channel of a guild, or direct messages. */
export interface Channel {
  readonly id: string;
  readonly kind: ChannelKind;
  /** Null for a direct message. */
  readonly guildId: string | null;
  name: string;
  position: number;
  overwrites: Overwrite[];
  /** Who takes part in a direct message; empty in a guild. */
  readonly recipients: readonly User[];
  /** Oldest first, deleted ones included. */
  readonly messages: Message[];
  /** Largest number of members in a voice channel; 0 is no limit. */
  userLimit: number;
  /** The line under a voice channel's name. */
  voiceStatus: string | null;
  isAgeRestricted: boolean;
}

/** A member in a voice channel. It is the same object until the member leaves voice; a move changes `channelId`. */
export interface VoiceState {
  readonly guildId: string;
  readonly member: Member;
  channelId: string;
  /** Of the gateway session that joined. */
  readonly sessionId: string;
  selfMute: boolean;
  selfDeaf: boolean;
  /** Whether the member may listen only: a stage's audience, or no permission to speak. */
  isSuppressed: boolean;
  /** When the member raised a hand on a stage, in epoch milliseconds. */
  requestedToSpeakAtMs: number | null;
}

/** A guild (community) with all that is in it. */
export interface Guild {
  readonly id: string;
  name: string;
  ownerId: string;
  /** By id; the one with the guild's own id is @everyone. */
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
  readonly channels: Map<string, Channel>;
  /** By user id: who is in which voice channel. */
  readonly voiceStates: Map<string, VoiceState>;
  /** Largest single file of a message here, in bytes (10 MiB without boosts). */
  attachmentSizeLimitBytes: number;
  preferredLocale: string;
}
