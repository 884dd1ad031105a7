import type { VoiceEndpoint } from './voice-endpoint.ts';

/** A channel to join. In a stage channel, the bot requests to speak. */
export interface VoicePlace {
  readonly guildId: string;
  readonly channelId: string;
}

/** Joins voice channels as one bot user, in at most one channel per guild at a time. */
export interface VoiceConnector {
  /** The id of the bot user, used to keep the bot from listening to itself. */
  readonly userId: string;
  /** Joins the channel, and resolves once the bot can hear and speak there. Throws `VoiceError`. */
  join(place: VoicePlace, signal?: AbortSignal): Promise<VoiceEndpoint>;
}
