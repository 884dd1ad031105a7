import type { StepPatch } from '../../../../db/queries/jobs.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow, JobStage } from '../../../../db/schema/jobs.ts';

/** The controls that every run of a step gets in addition to its own tools. */
export interface StepControl {
  /** Aborts at the step's deadline and when the program stops. */
  readonly signal: AbortSignal;
  /** Returns false as soon as another process may have the job. From then on, the step must not change the card. */
  readonly isHeld: () => boolean;
}

/**
 * One small, repeatable unit of work on a job. A step acts outside any transaction and returns the changes to record. A
 * repeat after a crash changes nothing more. `Tools` lists everything that the step can use.
 */
export type Step<Tools> = (
  job: JobRow,
  inputs: readonly JobInputRow[],
  run: Tools & StepControl,
) => Promise<StepResult>;

export type StepResult = StageDone | StageNotDone;

/** The stage is done. `patch` and the writes in `also` are recorded in one transaction. */
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

/** Returns the result of a run that threw `error`. If it returns `undefined`, the step is repeated after a delay. */
export type Failed<Tools> = (job: JobRow, error: unknown, tools: Tools) => StepResult | undefined;

/**
 * Returns the result for a step that is not run again because it repeatedly crashed its process. The result must change
 * nothing but the database.
 */
export type GivenUp<Tools> = (job: JobRow, tools: Tools) => StepResult;
