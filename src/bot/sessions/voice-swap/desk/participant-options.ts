import type { Clock } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import type { VoiceLineRequest, VoiceLines } from '../../voice-lines.ts';
import type { VoiceSound } from './voice-sound.ts';

/** The part of a session that its participants use. */
export interface ParticipantHost {
  /** Whether a paid line may be open now, for any participant. */
  readonly isOpen: boolean;
  /** The whole minutes that are left, at least 1. */
  readonly minutesLeft: number;
  /** Whether another line may follow a line whose time is used up. */
  readonly isRenewed: boolean;
  /** Reports a change that members see. */
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
