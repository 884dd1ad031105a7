import type { CallOrigin } from '../../../jobs/call-origin.ts';

/** Where members and channels are. Implemented in `src/bot/discord/voice/voice-whereabouts.ts`. */
export interface VoiceWhereabouts {
  /** Whether the chat tells this bot who is in which voice channel. */
  readonly isKnown: boolean;
  /** The voice channel that a member is in; null: none. */
  channelOf(guildId: string, userId: string): string | null;
  /** As a call from there would have it; null when the channel is not known. */
  placeOf(
    guildId: string,
    channelId: string,
  ): Pick<CallOrigin, 'parentChannelIds' | 'isAgeRestricted'> | null;
  /** Whether this process looks after the guild. */
  isOurs(guildId: string): boolean;
}
