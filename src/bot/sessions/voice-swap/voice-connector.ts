import type { VoiceEndpoint } from './voice-endpoint.ts';

/** The channel to join. In a stage, the bot asks to speak. */
export interface VoicePlace {
  readonly guildId: string;
  readonly channelId: string;
}

/** Joins voice channels as one bot user, one channel of a guild at a time. */
export interface VoiceConnector {
  /** The id of the bot user, so that the bot never listens to itself. */
  readonly userId: string;
  /** Joins the channel, and resolves when the bot can hear and speak. Throws `VoiceError`. */
  join(place: VoicePlace, signal?: AbortSignal): Promise<VoiceEndpoint>;
}
