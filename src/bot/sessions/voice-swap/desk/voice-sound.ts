import type { VoiceLine } from '../../voice-line.ts';
import type { VoiceEndpoint } from '../voice-endpoint.ts';

/** A channel's audio. Sends members' speech to their lines, and mixes converted speech into the channel. */
export interface VoiceSound extends AsyncDisposable {
  /**
   * Sends the member's speech over the line, which replaces an earlier line without losing speech. If `line` is null,
   * only detects whether the member is speaking. Resolves once the earlier line is no longer needed.
   */
  connect(userId: string, line: VoiceLine | null): Promise<void>;
  /** Stops listening to the member. */
  disconnect(userId: string): void;
  /** Calls `listener` a few times a second while a member is speaking. */
  onSpeech(listener: (userId: string) => void): Disposable;
}

/**
 * Opens the audio of a session, which listens at the first endpoint and plays at the second; the two may be the same.
 * Disposing of it does not leave the channels.
 */
export type OpenSound = (listening: VoiceEndpoint, speaking: VoiceEndpoint) => VoiceSound;
