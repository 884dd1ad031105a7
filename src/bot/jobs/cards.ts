import type { MicroUsd } from '../../base/money.ts';
import type { BudgetView } from '../money/caps/budget.ts';
import type { CapTarget, CapView } from '../money/caps/cap.ts';
import type { Capability } from '../../media-api/wire.ts';
import type { InputProblem } from './inputs/inputs.ts';
import type { NeededAmounts } from './intake/refusals.ts';

/** What the member sees happening, in the order of the way of a job; `cancelling` stands beside it. */
export type ProgressStage = 'queued' | 'cancelling' | 'fetching' | 'uploading' | 'at_service' | 'collecting';

export interface ProgressCard {
  readonly capability: Capability;
  readonly stage: ProgressStage;
  /** Of a `queued` job: its place in the queue, 1 is next. */
  readonly position?: number;
  readonly acceptedAtMs: number;
  /** What it will probably be charged; null while that is not known. */
  readonly price: MicroUsd | null;
  /** Median milliseconds from command to result of earlier jobs, once there are any. */
  readonly typicalMs: number | null;
}

/** Asks the member whether the job may cost that much, or asks a budget manager to review an earlier charge first. */
export interface PriceCard {
  readonly capability: Capability;
  /** What it will probably be charged. */
  readonly price: MicroUsd;
  /** What is set aside for it already; `budget` has that much less left. */
  readonly held: MicroUsd;
  /** What the price comes from; empty for pictures, and where it is not known. */
  readonly lengths: readonly InputLength[];
  readonly budget: BudgetView;
  /**
   * A charge far above its hold, which a budget manager or the operator must review first; null if the member is asked
   * about the price.
   */
  readonly overrun: EarlierOverrun | null;
  /** Without a yes until then the job ends. */
  readonly endsAtMs: number;
}

/** A charge of the member that was far above what was held for it. */
export interface EarlierOverrun {
  readonly capability: string;
  readonly held: MicroUsd;
  readonly charged: MicroUsd;
}

export interface InputLength {
  /** The command option, or `speech` of a script. */
  readonly of: string;
  readonly durationMs: number;
}

/** What a job needs by the lengths that were measured; empty for jobs of earlier versions. */
export interface NeededLengths extends NeededAmounts {
  readonly lengths: readonly InputLength[];
}

export type FinalCard = ResultCard | FailureCard;

export interface ResultCard {
  readonly kind: 'result';
  readonly capability: Capability;
  /** What to attach; null when nothing of it is small enough. */
  readonly file: ResultFile | null;
  /** Whether `file` is a smaller copy of the kept result. */
  readonly isSmaller: boolean;
  /** Where the kept result can be had; null when Masquerade has no public address. */
  readonly link: ResultLink | null;
  /** Null when the service has not told it yet. */
  readonly charged: MicroUsd | null;
  /** What was set aside for it. */
  readonly held: MicroUsd;
  /** Because of its charge, the member's next jobs wait for a review. */
  readonly startsReview: boolean;
  readonly budget: BudgetView;
  readonly tookMs: number;
}

export interface ResultFile {
  readonly path: string;
  readonly name: string;
  readonly mime: string;
}

/** A link to Masquerade's own web part that is good for some time. */
export interface ResultLink {
  readonly url: string;
  readonly expiresAtMs: number;
}

export interface FailureCard {
  readonly kind: 'failure';
  readonly capability: Capability;
  readonly failure: JobFailure;
  /** Whether another try with the same files may come to something else. */
  readonly canRetry: boolean;
  /** Null when it is not known whether the service will charge. */
  readonly charged: MicroUsd | null;
  /** What was set aside for it. */
  readonly held: MicroUsd;
  /** Because of its charge, the member's next jobs wait for a review. */
  readonly startsReview: boolean;
  readonly budget: BudgetView;
}

/** A cap that has not enough left; it does not say who the member is that it limits. */
export interface ShortCap extends Pick<
  CapView,
  'capability' | 'period' | 'limit' | 'pending' | 'left' | 'resetsAtMs'
> {
  readonly target: Exclude<CapTarget, { kind: 'member' }> | { readonly kind: 'member' };
}

/** Why an accepted job ended without a result. Nothing here came from the service's free text. */
export type JobFailure =
  /** An input file did not pass the checks; `option` is the command option that held it. */
  | { readonly reason: 'input'; readonly option: string; readonly problem: InputProblem }
  /** The service ended the job with this code (one of the documented five, or a newer one). */
  | { readonly reason: 'job'; readonly code: string }
  /** The service refused the upload or submit; its error code. */
  | { readonly reason: 'service_refused'; readonly code: string }
  /** The service could not be reached within the allowed time. */
  | { readonly reason: 'service_unreachable' }
  /**
   * Now that the lengths of its files are known, more must be set aside than `cap` has left (null: of jobs of earlier
   * versions). Nothing was submitted.
   */
  | ({ readonly reason: 'budget'; readonly cap: ShortCap | null } & NeededLengths)
  /** Nobody said yes to its price in time. Nothing was submitted. */
  | { readonly reason: 'not_confirmed'; readonly price: MicroUsd }
  /** Nobody reviewed an earlier charge of the member, far above its hold, in time. Nothing was submitted. */
  | { readonly reason: 'overrun_unseen' }
  /** Whether the service took the job on could not be found out; the operator looks into it. */
  | { readonly reason: 'unconfirmed' }
  /** Something on our own side kept failing; the log says what. */
  | { readonly reason: 'internal' }
  /** Three processes in a row died while they worked on the job. Nothing was submitted. */
  | { readonly reason: 'crashed' }
  /** Somebody took it back; what the service charged all the same is on the card. */
  | { readonly reason: 'cancelled' }
  /** The result was made but its link could not be collected in time. */
  | { readonly reason: 'result_lost' };
