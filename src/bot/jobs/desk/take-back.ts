import { listJobInputs } from '../../../../db/queries/job-inputs.ts';
import {
  cancelUnsentJob,
  listUncleared,
  recordCleared,
  takeBackJob,
} from '../../../../db/queries/job-desk.ts';
import { noteUndeleted } from '../../../../db/queries/undeleted-messages.ts';
import type { JobRow, TakenBack } from '../../../../db/schema/jobs.ts';
import { type Clock, withDeadline } from '../../../base/clock.ts';
import { clearJob, removeMessages } from '../steps/clear-job.ts';
import { isOpen } from '../run/pipeline.ts';
import { type StepContext, progressCard, replyTarget } from '../steps/step.ts';
import { isOver } from './job-view.ts';
import type { TookBack } from './desk-outcomes.ts';

export interface TakeBackContext extends Pick<
  StepContext,
  'db' | 'publisher' | 'log' | 'ledger' | 'links' | 'typical'
> {
  readonly clock: Clock;
  readonly nudge: () => void;
}

const CLEAR_MS_MAX = 20_000;
const UNCLEARED_AT_ONCE_MAX = 100;

/** Ends a job early, its card says so; undefined when it is too late for that. */
export async function cancelJob(job: JobRow, context: TakeBackContext): Promise<TookBack | undefined> {
  const taken = await takeBack(job, 'cancelled', context);
  if (!taken) return undefined;
  if (taken.when === 'at_service') {
    context.publisher.showProgress(replyTarget(job), progressCard(job, 'cancelling', context.typical));
  }
  context.nudge();
  return { outcome: 'took_back', when: taken.when, isMessageGone: true };
}

/** Takes a job's message and files away. What stays behind after a crash is cleared by `clearDeleted`. */
export async function deleteJob(job: JobRow, context: TakeBackContext): Promise<TookBack> {
  const { when, known } = (await takeBack(job, 'deleted', context)) ?? { when: 'ended' as const, known: job };
  context.nudge();
  const isMessageGone = await withDeadline(context.clock, CLEAR_MS_MAX, (signal) =>
    clear(known, context, signal),
  ).catch((error: unknown) => {
    context.log.warn({ jobId: job.id, error }, 'Cannot clear a deleted job yet');
    return false;
  });
  return { outcome: 'took_back', when, isMessageGone };
}

/** Clears ended jobs that were deleted, but of which something is left, until the signal aborts. */
export async function clearDeleted(context: TakeBackContext, stopping: AbortSignal): Promise<void> {
  for (const job of await listUncleared(context.db.kysely, UNCLEARED_AT_ONCE_MAX)) {
    if (stopping.aborted) return;
    const work = (signal: AbortSignal): Promise<boolean> => clear(job, context, signal);
    await withDeadline(context.clock, CLEAR_MS_MAX, work, stopping).catch((error: unknown) =>
      context.log.warn({ jobId: job.id, error }, 'Cannot clear a deleted job yet'),
    );
  }
}

interface Taken {
  readonly when: TookBack['when'];
  readonly known: JobRow;
}

async function takeBack(
  job: JobRow,
  takenBack: TakenBack,
  { db, ledger, clock }: TakeBackContext,
): Promise<Taken | undefined> {
  const change = { id: job.id, takenBack, nowMs: clock.now() };
  return db.transaction(`guild:${job.guild_id}`, async (trx) => {
    const unsent = await cancelUnsentJob(trx, change);
    if (unsent) {
      await ledger.void(trx, { subject: job.id });
      return { when: 'before_sending', known: unsent };
    }
    const known = await takeBackJob(trx, change);
    return known && { when: isOver(known) ? 'ended' : 'at_service', known };
  });
}

async function clear(job: JobRow, context: TakeBackContext, signal: AbortSignal): Promise<boolean> {
  // A step may be at work on it, so the files of an open job are cleared when it settles.
  if (isOpen(job.stage)) return (await removeMessages(job, context, signal)).length === 0;
  const inputs = await listJobInputs(context.db.kysely, job.id);
  const { left } = await clearJob(job, inputs, context, signal);
  await noteUndeleted(context.db.kysely, job, { messageIds: left, nowMs: context.clock.now() });
  await recordCleared(context.db.kysely, job.id);
  return left.length === 0;
}
