import type { CallOrigin } from '../../../jobs/call-origin.ts';

/** Looks up where members and channels are. `src/bot/discord/voice/discord-whereabouts.ts` implements it. */
export interface VoiceWhereabouts {
  /** Whether Discord reports to this bot which voice channels members are in. */
  readonly isKnown: boolean;
  /** Returns the voice channel that a member is in; null if they are in none. */
  channelOf(guildId: string, userId: string): string | null;
  /** Returns the properties of a channel that access rules need; null if the channel is not known. */
  placeOf(
    guildId: string,
    channelId: string,
  ): Pick<CallOrigin, 'parentChannelIds' | 'isAgeRestricted'> | null;
  /** Returns whether this process serves the guild. */
  isOurs(guildId: string): boolean;
}
