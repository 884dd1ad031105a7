import { DeadlineError, withDeadline } from '../../../base/clock.ts';
import { listJobInputs } from '../../../../db/queries/job-inputs.ts';
import { advanceJob } from '../../../../db/queries/jobs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { keepLease } from './keep-lease.ts';
import { type StageWork, workOf } from './pipeline.ts';
import { type StepContext, type StepResult, type StepRun, retryAt } from '../steps/step.ts';

/** Runs the step of a claimed job's stage under its lease and its deadline. A failure becomes a result, too. */
export async function runStep(job: JobRow, context: StepContext, stopping: AbortSignal): Promise<StepResult> {
  const work = workOf(job);
  const step = job.taken_back === null ? work.step : (work.takenBack ?? work.step);
  using lease = keepLease(job, context, stopping);
  try {
    const inputs = await listJobInputs(context.db.kysely, job.id);
    const { isHeld } = lease;
    if (!isHeld()) return { kind: 'wait', atMs: context.clock.now() };
    return await withDeadline(
      context.clock,
      context.limits.stepMsMax,
      (signal) => step(job, inputs, { ...context, signal, isHeld }),
      lease.signal,
    );
  } catch (error) {
    return afterFailure(job, work, error, { ...context, signal: lease.signal, isHeld: lease.isHeld });
  }
}

/**
 * The result for a job whose step is not run again, because each process that started it died or stalled for too long.
 */
export function giveUp(job: JobRow, context: StepContext, signal: AbortSignal): StepResult {
  const { id: jobId, stage, lost_leases: lostLeases } = job;
  context.log.error({ jobId, stage, lostLeases }, 'A step ended its process repeatedly; it is not run again');
  return workOf(job).givenUp(job, { ...context, signal, isHeld: () => true });
}

/** Writes what a step came to. False when another process has taken the job meanwhile: then nothing is written. */
export async function recordResult(job: JobRow, result: StepResult, context: StepContext): Promise<boolean> {
  const { db, clock } = context;
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

function afterFailure(job: JobRow, { failed }: StageWork, error: unknown, run: StepRun): StepResult {
  if (run.signal.aborted) return { kind: 'wait', atMs: run.clock.now() };
  const timedOut = error instanceof DeadlineError;
  run.log.warn({ jobId: job.id, stage: job.stage, attempts: job.attempts, timedOut, error }, 'A step failed');
  return failed?.(job, error, run) ?? { kind: 'wait', atMs: retryAt(job, run) };
}
