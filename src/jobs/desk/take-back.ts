import { listJobInputs } from '../../../db/queries/job-inputs.ts';
import { cancelUnsentJob, listUncleared, recordCleared, takeBackJob } from '../../../db/queries/job-desk.ts';
import type { JobRow, TakenBack } from '../../../db/schema.ts';
import { type Clock, withDeadline } from '../../base/clock.ts';
import { clearJob, removeMessages } from '../clear-job.ts';
import { isOpen } from '../pipeline.ts';
import { type StepContext, capabilityOf, replyTarget } from '../step.ts';
import type { TookBack } from './desk-ports.ts';

export interface TakeBackContext extends Pick<
  StepContext,
  'db' | 'publisher' | 'log' | 'ledger' | 'links' | 'typical'
> {
  readonly clock: Clock;
  readonly nudge: () => void;
}

const CLEAR_MS_MAX = 20_000;
const UNCLEARED_AT_ONCE_MAX = 100;

/** Ends a job early, its card says so; undefined when it has ended already. */
export async function cancelJob(job: JobRow, context: TakeBackContext): Promise<TookBack | undefined> {
  const when = await takeBack(job, 'cancelled', context);
  if (when === undefined) return undefined;
  if (when === 'at_service') {
    context.publisher.showProgress(replyTarget(job), {
      capability: capabilityOf(job),
      stage: 'cancelling',
      acceptedAtMs: job.accepted_at_ms,
      typicalMs: context.typical.of(capabilityOf(job)),
    });
  }
  context.nudge();
  return { outcome: 'took_back', when, isMessageGone: true };
}

/** Takes a job's message and files away. What stays behind after a crash is cleared by `clearDeleted`. */
export async function deleteJob(job: JobRow, context: TakeBackContext): Promise<TookBack> {
  const when = (await takeBack(job, 'deleted', context)) ?? 'ended';
  context.nudge();
  const isMessageGone = await withDeadline(context.clock, CLEAR_MS_MAX, (signal) =>
    clear(job, when, context, signal),
  ).catch((error: unknown) => {
    context.log.warn({ jobId: job.id, error }, 'Cannot clear a deleted job yet');
    return false;
  });
  return { outcome: 'took_back', when, isMessageGone };
}

/** Clears ended jobs that were deleted, but of which something is left; returns how many. */
export async function clearDeleted(context: TakeBackContext): Promise<number> {
  const left = await listUncleared(context.db.kysely, UNCLEARED_AT_ONCE_MAX);
  for (const job of left) {
    await withDeadline(context.clock, CLEAR_MS_MAX, (signal) => clear(job, 'ended', context, signal));
  }
  return left.length;
}

async function takeBack(
  job: JobRow,
  takenBack: TakenBack,
  { db, ledger, clock }: TakeBackContext,
): Promise<TookBack['when'] | undefined> {
  const change = { id: job.id, takenBack, nowMs: clock.now() };
  return db.transaction(async (trx) => {
    if (await cancelUnsentJob(trx, change)) {
      await ledger.void(trx, { subject: job.id });
      return 'before_sending';
    }
    const known = await takeBackJob(trx, change);
    if (!known) return undefined;
    return isOpen(known.stage) ? 'at_service' : 'ended';
  });
}

async function clear(
  job: JobRow,
  when: TookBack['when'],
  context: TakeBackContext,
  signal: AbortSignal,
): Promise<boolean> {
  // A step may be at work on it, so the files of an open job are cleared when it settles.
  if (when !== 'ended') return removeMessages(job, context, signal);
  const inputs = await listJobInputs(context.db.kysely, job.id);
  const { isMessageGone } = await clearJob({ ...job, taken_back: 'deleted' }, inputs, context, signal);
  await recordCleared(context.db.kysely, job.id);
  return isMessageGone;
}
