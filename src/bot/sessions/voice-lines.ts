import type { VoiceLine } from './voice-line.ts';

/** A request to convert a member's speech. */
export interface VoiceLineRequest {
  readonly guildId: string;
  /** The voice channel in which the member speaks. */
  readonly channelId: string;
  readonly userId: string;
  /** The member's roles, for caps of roles. */
  readonly roleIds: readonly string[];
  /** One of the service's voices. Null passes the voice through unchanged, which also needs a session. */
  readonly voiceId: string | null;
  /** Range 1 to 120. */
  readonly minutes: number;
}

/**
 * Opens paid voice sessions. `max_cost_usd` is held before the service is asked, so a member who cannot pay it is refused
 * before anything is opened. Throws `SessionError`, whose text is for the member.
 */
export interface VoiceLines {
  open(request: VoiceLineRequest, signal?: AbortSignal): Promise<VoiceLine>;
}
