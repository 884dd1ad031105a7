import type { VoiceLine } from './voice-line.ts';

/** A request to convert a member's speech. */
export interface VoiceLineRequest {
  readonly guildId: string;
  /** The voice channel in which the member speaks. */
  readonly channelId: string;
  readonly userId: string;
  /** The member's roles, for the role caps. */
  readonly roleIds: readonly string[];
  /** One of the service's voices. Null leaves the voice unchanged, which also requires a session. */
  readonly voiceId: string | null;
  /** The length of the session in minutes, from 1 to 120. */
  readonly minutes: number;
}

/**
 * Opens paid voice sessions. The expected cost is set aside before the request to the service, so a member whose budget
 * does not cover it is refused before anything is opened. Throws `SessionError`, whose message is for the member.
 */
export interface VoiceLines {
  open(request: VoiceLineRequest, signal?: AbortSignal): Promise<VoiceLine>;
}
