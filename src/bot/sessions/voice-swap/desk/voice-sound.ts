import type { VoiceLine } from '../../voice-line.ts';
import type { VoiceEndpoint } from '../voice-endpoint.ts';

/** The sound of a channel. It sends members' speech to their lines, and mixes converted speech into the channel. */
export interface VoiceSound extends AsyncDisposable {
  /**
   * Sends the member's speech over the line, which takes over from an earlier one without losing speech. With null, it
   * only detects whether the member speaks. Resolves when the earlier line is no longer needed.
   */
  connect(userId: string, line: VoiceLine | null): Promise<void>;
  /** Stops listening to the member. */
  disconnect(userId: string): void;
  /** Calls `listener` while a member speaks, at most a few times a second. */
  onSpeech(listener: (userId: string) => void): Disposable;
}

/** Opens sound that listens at the first place and speaks at the second, which may be the same. It leaves neither. */
export type OpenSound = (listening: VoiceEndpoint, speaking: VoiceEndpoint) => VoiceSound;
