import type { VoiceLine } from '../../voice-line.ts';
import type { VoiceEndpoint } from '../voice-endpoint.ts';

/** The sound of a channel: members' speech into their lines, and what comes back mixed into the channel. */
export interface VoiceSound extends AsyncDisposable {
  /**
   * Sends the member's speech over the line, which takes over without losing speech; null only listens for whether
   * they speak. Resolves when the line before is not needed any more.
   */
  connect(userId: string, line: VoiceLine | null): Promise<void>;
  /** The member is not listened to any more. */
  disconnect(userId: string): void;
  /** Calls back while a member speaks, at most some times a second. */
  onSpeech(listener: (userId: string) => void): Disposable;
}

/** Listens at the first place, and speaks at the second, which may be the same. It leaves neither. */
export type OpenSound = (listening: VoiceEndpoint, speaking: VoiceEndpoint) => VoiceSound;
