import { DeadlineError, withDeadline } from '../../../base/clock.ts';
import { listJobInputs } from '../../../../db/queries/job-inputs.ts';
import { advanceJob } from '../../../../db/queries/jobs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { JobLimits } from '../job-limits.ts';
import { type KeepLeaseTools, keepLease } from './keep-lease.ts';
import { type PipelineTools, type StageWork, workOf } from './pipeline.ts';
import { retryAt } from '../steps/retry-at.ts';
import type { StepResult } from '../steps/step.ts';

/** The tools for running a step, including those that the steps need. */
export type RunStepTools = PipelineTools & KeepLeaseTools & { readonly limits: Pick<JobLimits, 'stepMsMax'> };

/** Runs the step for a claimed job's stage, within its lease and deadline. Returns a result even if the step fails. */
export async function runStep(job: JobRow, tools: RunStepTools, stopping: AbortSignal): Promise<StepResult> {
  const work = workOf(job);
  const step = job.taken_back === null ? work.step : (work.takenBack ?? work.step);
  using lease = keepLease(job, tools, stopping);
  try {
    const inputs = await listJobInputs(tools.db.kysely, job.id);
    const { isHeld } = lease;
    if (!isHeld()) return { kind: 'wait', atMs: tools.clock.now() };
    return await withDeadline(
      tools.clock,
      tools.limits.stepMsMax,
      (signal) => step(job, inputs, { ...tools, signal, isHeld }),
      lease.signal,
    );
  } catch (error) {
    if (lease.signal.aborted) return { kind: 'wait', atMs: tools.clock.now() };
    return afterFailure(job, error, { work, tools });
  }
}

/**
 * Returns the result for a job whose step is not run again, because too many processes in a row died or stalled while
 * they ran it.
 */
export function giveUp(job: JobRow, tools: PipelineTools): StepResult {
  const { id: jobId, stage, lost_leases: lostLeases } = job;
  tools.log.error({ jobId, stage, lostLeases }, 'A step ended its process repeatedly; it is not run again');
  return workOf(job).givenUp(job, tools);
}

/** Writes a step's result to the database. Returns false, and writes nothing, if another process has taken the job. */
export async function recordResult(
  job: JobRow,
  result: StepResult,
  { db, clock }: Pick<PipelineTools, 'db' | 'clock'>,
): Promise<boolean> {
  return db.transaction(`guild:${job.guild_id}`, async (trx) => {
    const recorded = await advanceJob(trx, job, { nowMs: clock.now(), patch: patchOf(result) });
    if (recorded && result.kind === 'advance') await result.also?.(trx);
    return recorded !== undefined;
  });
}

function patchOf(result: StepResult): Parameters<typeof advanceJob>[2]['patch'] {
  if (result.kind === 'wait') return { ...result.patch, due_at_ms: result.atMs };
  const due = result.dueAtMs === undefined ? {} : { due_at_ms: result.dueAtMs };
  return { ...result.patch, stage: result.to, ...due };
}

function afterFailure(
  job: JobRow,
  error: unknown,
  { work, tools }: { readonly work: StageWork; readonly tools: PipelineTools },
): StepResult {
  const timedOut = error instanceof DeadlineError;
  tools.log.warn(
    { jobId: job.id, stage: job.stage, attempts: job.attempts, timedOut, error },
    'A step failed',
  );
  return work.failed?.(job, error, tools) ?? { kind: 'wait', atMs: retryAt(job, tools) };
}
