import type { Capability } from '../../../media-api/wire.ts';
import type { ResultFile, ResultLink } from '../cards.ts';
import type { IntakeOutcome } from '../intake/intake-outcome.ts';
import type { JobView } from './job-view.ts';

export interface Shown {
  readonly outcome: 'shown';
  readonly job: JobView;
  /** What fits into an answer here; null when nothing does, or nothing is kept. */
  readonly file: ResultFile | null;
  readonly isSmaller: boolean;
  readonly link: ResultLink | null;
}

export interface Retried {
  readonly outcome: 'retried';
  readonly capability: Capability;
  readonly intake: IntakeOutcome;
}

export interface TookBack {
  readonly outcome: 'took_back';
  /** What became of it: never sent, sent (so that it runs and is billed), or ended long since. */
  readonly when: 'before_sending' | 'at_service' | 'ended';
  /** False when the chat did not let the bot take the message away. */
  readonly isMessageGone: boolean;
}

export interface Confirmed {
  readonly outcome: 'confirmed';
  /** False when they had said yes before. */
  readonly isNew: boolean;
}

export interface Reported {
  readonly outcome: 'reported';
  /** False when this member had reported it before. */
  readonly isNew: boolean;
}
