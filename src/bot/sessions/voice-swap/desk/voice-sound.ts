import type { VoiceLine } from '../../voice-line.ts';
import type { VoiceEndpoint } from '../voice-endpoint.ts';

/** The sound of a channel. Sends members' speech to their lines, and mixes converted speech into the channel. */
export interface VoiceSound extends AsyncDisposable {
  /**
   * Sends the member's speech over the line, which replaces an earlier one without losing speech. With null, only
   * detects whether the member speaks. Resolves when the earlier line is no longer needed.
   */
  connect(userId: string, line: VoiceLine | null): Promise<void>;
  /** Stops listening to the member. */
  disconnect(userId: string): void;
  /** Calls `listener` a few times a second while a member speaks. */
  onSpeech(listener: (userId: string) => void): Disposable;
}

/**
 * Creates the sound that listens at the first endpoint and plays at the second, which may be the same. It does not
 * leave the channels.
 */
export type OpenSound = (listening: VoiceEndpoint, speaking: VoiceEndpoint) => VoiceSound;
