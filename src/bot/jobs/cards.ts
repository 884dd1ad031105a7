import type { MicroUsd } from '../../base/money.ts';
import type { BudgetView } from '../money/caps/budget.ts';
import type { CapTarget, CapView } from '../money/caps/cap.ts';
import type { Capability } from '../../media-api/wire.ts';
import type { InputProblem } from './inputs/inputs.ts';
import type { NeededAmounts } from './intake/refusals.ts';

/**
 * The progress that the member sees. The values are in the order of a job's stages, except `cancelling`, which may
 * follow any other value.
 */
export type ProgressStage = 'queued' | 'cancelling' | 'fetching' | 'uploading' | 'at_service' | 'collecting';

export interface ProgressCard {
  readonly capability: Capability;
  readonly stage: ProgressStage;
  /** The place of a `queued` job in the queue. The first job has place 1. */
  readonly position?: number;
  readonly acceptedAtMs: number;
  /** The expected price; null while it is not known. */
  readonly price: MicroUsd | null;
  /** The median time from the command until a job is settled, in milliseconds; null if there are no earlier jobs. */
  readonly typicalMs: number | null;
}

/** A card that asks the member to confirm the price, or first asks a budget manager to review an earlier charge. */
export interface PriceCard {
  readonly capability: Capability;
  /** The expected price. */
  readonly price: MicroUsd;
  /** The amount that is already set aside for the job. The amount left in `budget` already excludes it. */
  readonly held: MicroUsd;
  /** The lengths on which the price is based; empty for pictures and if they are not known. */
  readonly lengths: readonly InputLength[];
  readonly budget: BudgetView;
  /**
   * A charge far above its hold, which a budget manager or the operator must review first; null if the member is asked
   * about the price.
   */
  readonly overrun: EarlierOverrun | null;
  /** The time at which the job ends unless it is confirmed or reviewed earlier (epoch milliseconds). */
  readonly endsAtMs: number;
}

/** One of the member's earlier charges, which was far above its hold. */
export interface EarlierOverrun {
  readonly capability: string;
  readonly held: MicroUsd;
  readonly charged: MicroUsd;
}

export interface InputLength {
  /** The name of the command option, or `speech` for a spoken script. */
  readonly of: string;
  readonly durationMs: number;
}

/**
 * The amounts that a job needs according to its measured lengths. `lengths` is empty for jobs from earlier versions.
 */
export interface NeededLengths extends NeededAmounts {
  readonly lengths: readonly InputLength[];
}

export type FinalCard = ResultCard | FailureCard;

export interface ResultCard {
  readonly kind: 'result';
  readonly capability: Capability;
  /** The file to attach; null if neither the result nor its copy is small enough. */
  readonly file: ResultFile | null;
  /** Whether `file` is a smaller copy of the kept result. */
  readonly isSmaller: boolean;
  /** A link to the kept result; null if Masquerade has no public URL. */
  readonly link: ResultLink | null;
  /** The amount that the service charged; null if the service has not reported it yet. */
  readonly charged: MicroUsd | null;
  /** The amount that was set aside for the job. */
  readonly held: MicroUsd;
  /** Whether the member's next jobs wait for a review because of this charge. */
  readonly startsReview: boolean;
  readonly budget: BudgetView;
  readonly tookMs: number;
}

export interface ResultFile {
  readonly path: string;
  readonly name: string;
  readonly mime: string;
}

/** A link to Masquerade's own web server that works for a limited time. */
export interface ResultLink {
  readonly url: string;
  readonly expiresAtMs: number;
}

export interface FailureCard {
  readonly kind: 'failure';
  readonly capability: Capability;
  readonly failure: JobFailure;
  /** Whether another attempt with the same files may have a different outcome. */
  readonly canRetry: boolean;
  /** The amount that the service charged; null if it is not known whether the service will charge. */
  readonly charged: MicroUsd | null;
  /** The amount that was set aside for the job. */
  readonly held: MicroUsd;
  /** Whether the member's next jobs wait for a review because of this charge. */
  readonly startsReview: boolean;
  readonly budget: BudgetView;
}

/** A cap that does not have enough left. It does not name the member whom it limits. */
export interface ShortCap extends Pick<
  CapView,
  'capability' | 'period' | 'limit' | 'pending' | 'left' | 'resetsAtMs'
> {
  readonly target: Exclude<CapTarget, { kind: 'member' }> | { readonly kind: 'member' };
}

/** Why an accepted job ended without a result. It contains no free text from the service. */
export type JobFailure =
  /** An input file did not pass the checks. `option` names its command option. */
  | { readonly reason: 'input'; readonly option: string; readonly problem: InputProblem }
  /** The job failed at the service with this code: one of the five documented codes, or a newer one. */
  | { readonly reason: 'job'; readonly code: string }
  /** The service refused the upload or the submission with this error code. */
  | { readonly reason: 'service_refused'; readonly code: string }
  /** The service could not be reached within the allowed time. */
  | { readonly reason: 'service_unreachable' }
  /**
   * According to the measured lengths of its files, the job needs more than `cap` has left. `cap` is null for jobs from
   * earlier versions. Nothing was submitted.
   */
  | ({ readonly reason: 'budget'; readonly cap: ShortCap | null } & NeededLengths)
  /** The member did not confirm the price in time. Nothing was submitted. */
  | { readonly reason: 'not_confirmed'; readonly price: MicroUsd }
  /**
   * One of the member's earlier charges was far above its hold, and nobody reviewed it in time. Nothing was submitted.
   */
  | { readonly reason: 'overrun_unseen' }
  /** It is not known whether the service accepted the job. Its hold is in review. */
  | { readonly reason: 'unconfirmed' }
  /** Every attempt failed because of an error in the bot itself. The error is in the log. */
  | { readonly reason: 'internal' }
  /** Three processes in a row died while they were working on the job. Nothing was submitted. */
  | { readonly reason: 'crashed' }
  /** The member or a moderator cancelled the job. The card shows the charge if the service charged anyway. */
  | { readonly reason: 'cancelled' }
  /** The service produced the result, but the bot could not download it in time. */
  | { readonly reason: 'result_lost' };
