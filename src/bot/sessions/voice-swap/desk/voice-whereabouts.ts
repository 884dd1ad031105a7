import type { CallOrigin } from '../../../jobs/call-origin.ts';

/** Knows where members and channels are. Implemented in `src/bot/discord/voice/discord-whereabouts.ts`. */
export interface VoiceWhereabouts {
  /** Whether this bot receives from the chat who is in which voice channel. */
  readonly isKnown: boolean;
  /** Returns the voice channel that a member is in. Null if there is none. */
  channelOf(guildId: string, userId: string): string | null;
  /** Returns the place of a channel as a call from there would have it. Null if the channel is not known. */
  placeOf(
    guildId: string,
    channelId: string,
  ): Pick<CallOrigin, 'parentChannelIds' | 'isAgeRestricted'> | null;
  /** Whether the guild belongs to this process. */
  isOurs(guildId: string): boolean;
}
