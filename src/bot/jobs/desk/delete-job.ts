import { listUncleared, recordCleared } from '../../../../db/queries/job-desk.ts';
import { listJobInputs } from '../../../../db/queries/job-inputs.ts';
import { noteUndeleted } from '../../../../db/queries/undeleted-messages.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { withDeadline } from '../../../base/clock.ts';
import { isOpen } from '../run/pipeline.ts';
import { type ClearJobTools, clearJob, removeMessages } from '../steps/clear-job.ts';
import { type TakeBackTools, takeBack } from './take-back.ts';
import type { TookBack } from './desk-outcomes.ts';

export interface ClearDeletedTools extends ClearJobTools, Pick<TakeBackTools, 'clock'> {}

export interface DeleteJobTools extends ClearJobTools, TakeBackTools {
  readonly nudge: () => void;
}

const CLEAR_MS_MAX = 20_000;
const UNCLEARED_AT_ONCE_MAX = 100;

/** Removes a job's message and files. After a crash, `clearDeleted` removes the rest. */
export async function deleteJob(job: JobRow, tools: DeleteJobTools): Promise<TookBack> {
  const { when, known } = (await takeBack(job, 'deleted', tools)) ?? { when: 'ended' as const, known: job };
  tools.nudge();
  const isMessageGone = await withDeadline(tools.clock, CLEAR_MS_MAX, (signal) =>
    clear(known, tools, signal),
  ).catch((error: unknown) => {
    tools.log.warn({ jobId: job.id, error }, 'Cannot clear a deleted job yet');
    return false;
  });
  return { outcome: 'took_back', when, isMessageGone };
}

/** Clears deleted jobs that have ended and still have messages or files, until the signal aborts. */
export async function clearDeleted(tools: ClearDeletedTools, stopping: AbortSignal): Promise<void> {
  for (const job of await listUncleared(tools.db.kysely, UNCLEARED_AT_ONCE_MAX)) {
    if (stopping.aborted) return;
    const work = (signal: AbortSignal): Promise<boolean> => clear(job, tools, signal);
    await withDeadline(tools.clock, CLEAR_MS_MAX, work, stopping).catch((error: unknown) =>
      tools.log.warn({ jobId: job.id, error }, 'Cannot clear a deleted job yet'),
    );
  }
}

/** Removes the messages and files of a deleted job. Returns false if the chat does not let the bot remove a message. */
async function clear(job: JobRow, tools: ClearDeletedTools, signal: AbortSignal): Promise<boolean> {
  const run = { ...tools, signal };
  // While a job is open, one of its steps may be running, so its files are not cleared until it settles.
  if (isOpen(job.stage)) return (await removeMessages(job, run)).length === 0;
  const inputs = await listJobInputs(tools.db.kysely, job.id);
  const { left } = await clearJob(job, inputs, run);
  await noteUndeleted(tools.db.kysely, job, { messageIds: left, nowMs: tools.clock.now() });
  await recordCleared(tools.db.kysely, job.id);
  return left.length === 0;
}
