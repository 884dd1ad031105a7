import type { Clock } from '../base/clock.ts';
import type { Database } from '../../db/database.ts';
import { forgetJobInputs, listOldInputs } from '../../db/queries/job-inputs.ts';
import { forgetResult, listOldResults } from '../../db/queries/jobs.ts';
import type { JobFiles } from './job-files.ts';
import { removeResultFiles } from './result-files.ts';

const AT_ONCE_MAX = 500;

/** Removes results that were kept for `keepMs`, at most 500 at a time; returns how many. */
export async function removeOldResults(
  db: Database,
  options: { readonly clock: Clock; readonly keepMs: number },
): Promise<number> {
  const beforeMs = options.clock.now() - options.keepMs;
  const old = await listOldResults(db.kysely, { beforeMs, limit: AT_ONCE_MAX });
  for (const { id, path, chatPath } of old) {
    await removeResultFiles([path, chatPath]);
    await forgetResult(db.kysely, id);
  }
  return old.length;
}

/** Removes the inputs that were kept for `keepMs` for another try, at most 500 at a time; returns how many. */
export async function removeOldInputs(
  db: Database,
  options: { readonly clock: Clock; readonly keepMs: number; readonly files: JobFiles },
): Promise<number> {
  const beforeMs = options.clock.now() - options.keepMs;
  const old = await listOldInputs(db.kysely, { beforeMs, limit: AT_ONCE_MAX });
  for (const { jobId, field } of old) {
    await options.files.removeInputs(jobId, [field]);
  }
  for (const jobId of new Set(old.map((input) => input.jobId))) await forgetJobInputs(db.kysely, jobId);
  return old.length;
}
