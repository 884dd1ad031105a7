import type { VoiceEndpoint } from './voice-endpoint.ts';

/** Where to join. In a stage the bot asks to speak. */
export interface VoicePlace {
  readonly guildId: string;
  readonly channelId: string;
}

/** Joins voice channels as one bot user: one channel of a guild at a time. */
export interface VoiceConnector {
  /** Of the bot user, so that it is never heard itself. */
  readonly userId: string;
  /** Ready to hear and speak. Throws `VoiceError`. */
  join(place: VoicePlace, signal?: AbortSignal): Promise<VoiceEndpoint>;
}
