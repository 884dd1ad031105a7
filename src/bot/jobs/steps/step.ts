import type { StepPatch } from '../../../../db/queries/jobs.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow, JobStage } from '../../../../db/schema/jobs.ts';

/** What each run of a step gets, whatever else the step takes. */
export interface StepControl {
  /** Aborts at the deadline of the step and when the program stops. */
  readonly signal: AbortSignal;
  /** Returns false as soon as another process may have the job: from then on, the step must show nothing. */
  readonly isHeld: () => boolean;
}

/**
 * One small, repeatable piece of the work on a job. It has its effect outside any transaction and returns what to
 * record. A repeat after a crash changes nothing more. `Tools` is what the step takes; it sees nothing else.
 */
export type Step<Tools> = (
  job: JobRow,
  inputs: readonly JobInputRow[],
  run: Tools & StepControl,
) => Promise<StepResult>;

export type StepResult = StageDone | StageNotDone;

/** The stage is done. `patch` and the writes of `also` are recorded in one transaction. */
export interface StageDone {
  readonly kind: 'advance';
  readonly to: JobStage;
  readonly patch?: StepPatch;
  readonly also?: (trx: Trx) => Promise<void>;
  /** When the next stage is due (epoch milliseconds). Default: now. */
  readonly dueAtMs?: number;
}

/** The stage is not done. Its step runs again at `atMs` (whole epoch milliseconds). */
interface StageNotDone {
  readonly kind: 'wait';
  readonly atMs: number;
  readonly patch?: StepPatch;
}

/** Returns the result of a run that threw `error`; `undefined` repeats the step after a while. */
export type Failed<Tools> = (job: JobRow, error: unknown, tools: Tools) => StepResult | undefined;

/**
 * Returns the result for a step that is not run again because the processes that ran it died. It changes nothing except
 * the row.
 */
export type GivenUp<Tools> = (job: JobRow, tools: Tools) => StepResult;
