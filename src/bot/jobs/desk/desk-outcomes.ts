import type { Capability } from '../../../media-api/wire.ts';
import type { ResultFile, ResultLink } from '../cards.ts';
import type { IntakeOutcome } from '../intake/intake-outcome.ts';
import type { JobView } from './job-view.ts';

/** A job, and its result as a file or link. */
export interface Shown {
  readonly outcome: 'shown';
  readonly job: JobView;
  /** The kept result or its copy, whichever is small enough for a reply in this channel; null if neither is. */
  readonly file: ResultFile | null;
  readonly isSmaller: boolean;
  readonly link: ResultLink | null;
}

/** Another attempt was requested. `intake` states whether it was accepted. */
export interface Retried {
  readonly outcome: 'retried';
  readonly capability: Capability;
  readonly intake: IntakeOutcome;
}

/** The job was cancelled or removed. */
export interface TookBack {
  readonly outcome: 'took_back';
  /** How far the job had come: not sent to the service, sent (so that it continues and is billed), or ended. */
  readonly when: 'before_sending' | 'at_service' | 'ended';
  /** False if the chat did not let the bot delete the message. */
  readonly isMessageGone: boolean;
}

/** The price is confirmed, so the job continues. */
export interface Confirmed {
  readonly outcome: 'confirmed';
  /** False if the member had already confirmed the price. */
  readonly isNew: boolean;
}

/** The report is stored and will be delivered. */
export interface Reported {
  readonly outcome: 'reported';
  /** False if this member had already reported the job. */
  readonly isNew: boolean;
}
