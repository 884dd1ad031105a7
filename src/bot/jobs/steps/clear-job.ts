import type { Database } from '../../../../db/database.ts';
import type { StepPatch } from '../../../../db/queries/jobs.ts';
import { clearInputFiles } from '../../../../db/queries/job-desk.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Logger } from '../../../base/log.ts';
import { removeFiles } from '../results/remove-files.ts';
import type { StepControl } from './step.ts';
import type { JobPublisher } from '../job-publisher.ts';

interface RemoveMessagesTools {
  readonly publisher: Pick<JobPublisher, 'remove'>;
  readonly log: Logger;
}

export interface ClearJobTools extends RemoveMessagesTools {
  readonly db: Database;
}

/** The fields to record for a cleared job, and the ids of the messages that the chat did not let the bot remove. */
export interface Cleared {
  readonly patch: StepPatch;
  readonly left: readonly string[];
}

/**
 * Removes the files of a job that was cancelled or deleted, and also its message if it was deleted. Repeated calls are
 * harmless.
 */
export async function clearJob(
  job: JobRow,
  inputs: readonly JobInputRow[],
  run: ClearJobTools & Pick<StepControl, 'signal'>,
): Promise<Cleared> {
  await removeFiles([job.result_path, job.chat_path, ...inputs.map(({ path }) => path)]);
  await clearInputFiles(run.db.kysely, job.id);
  const files = { result_path: null, chat_path: null };
  if (job.taken_back !== 'deleted') return { patch: files, left: [] };
  const left = await removeMessages(job, run);
  return { patch: { ...files, reply_message_id: null, result_message_id: null }, left };
}

/** Removes a job's messages from the chat. Returns the ids of those that the chat does not let the bot remove. */
export async function removeMessages(
  job: JobRow,
  { publisher, log, signal }: RemoveMessagesTools & Pick<StepControl, 'signal'>,
): Promise<readonly string[]> {
  const left: string[] = [];
  for (const messageId of new Set([job.result_message_id, job.reply_message_id])) {
    if (messageId === null) continue;
    if (await publisher.remove({ channelId: job.channel_id, messageId }, signal)) continue;
    log.warn({ jobId: job.id }, 'The chat does not let the bot remove a deleted card');
    left.push(messageId);
  }
  return left;
}
