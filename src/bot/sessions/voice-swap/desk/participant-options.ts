import type { Clock } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import type { VoiceLineRequest, VoiceLines } from '../../voice-lines.ts';
import type { VoiceSound } from './voice-sound.ts';

/** What a participant asks of the session that they are in. */
export interface ParticipantHost {
  /** Whether a paid line may be open just now, whoever is to speak. */
  readonly isOpen: boolean;
  /** Whole minutes that are left, from 1 on. */
  readonly minutesLeft: number;
  /** Whether another line may follow one whose time is used up. */
  readonly isRenewed: boolean;
  /** Something of what members see has changed. */
  changed(): void;
}

export interface ParticipantOptions {
  readonly who: Omit<VoiceLineRequest, 'voiceId' | 'minutes'>;
  readonly voiceId: string | null;
  readonly host: ParticipantHost;
  readonly lines: VoiceLines;
  readonly sound: VoiceSound;
  readonly clock: Clock;
  readonly log: Logger;
  readonly idleMs: number;
  readonly unansweredMs: number;
}
