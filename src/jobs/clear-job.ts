import type { StepPatch } from '../../db/queries/jobs.ts';
import { forgetJobInputs } from '../../db/queries/job-inputs.ts';
import type { JobInputRow, JobRow } from '../../db/schema.ts';
import { removeResultFiles } from './result-files.ts';
import type { StepContext } from './step.ts';

/**
 * Removes the files of a job that was taken back, and, if it was deleted, its message. What is still to be recorded
 * of it is returned: null ids say that nothing is left to remove.
 */
export async function clearJob(
  job: JobRow,
  inputs: readonly JobInputRow[],
  run: Pick<StepContext, 'db' | 'files' | 'publisher' | 'log'>,
  signal: AbortSignal,
): Promise<StepPatch> {
  await removeResultFiles([job.result_path, job.chat_path]);
  await run.files.removeInputs(
    job.id,
    inputs.map((input) => input.field),
  );
  await forgetJobInputs(run.db.kysely, job.id);
  const files = { result_path: null, chat_path: null };
  if (job.taken_back !== 'deleted') return files;
  for (const messageId of new Set([job.result_message_id, job.reply_message_id])) {
    if (messageId === null) continue;
    const removed = await run.publisher.remove({ channelId: job.channel_id, messageId }, signal);
    if (!removed) run.log.warn({ jobId: job.id }, 'The chat does not let the bot remove a deleted card');
  }
  return { ...files, reply_message_id: null, result_message_id: null };
}
