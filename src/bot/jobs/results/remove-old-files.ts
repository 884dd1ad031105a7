import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../../db/database.ts';
import { listOldInputs, updateJobInput } from '../../../../db/queries/job-inputs.ts';
import { clearResult, listOldResults } from '../../../../db/queries/jobs.ts';
import { removeFiles } from './remove-files.ts';

const AT_ONCE_MAX = 500;

interface OldFilesOptions {
  readonly clock: Clock;
  readonly keepMs: number;
  /** If it aborts, the removal stops early. */
  readonly signal?: AbortSignal;
}

/** Removes results and inputs that have been kept for `keepMs`. Returns the number of removed files. */
export async function removeOldFiles(db: Database, options: OldFilesOptions): Promise<number> {
  let removed = 0;
  for (let more = true; more;) {
    const count = await removeSome(db, options);
    removed += count;
    more = count > 0 && options.signal?.aborted !== true;
  }
  return removed;
}

async function removeSome(db: Database, options: OldFilesOptions): Promise<number> {
  const which = { beforeMs: options.clock.now() - options.keepMs, limit: AT_ONCE_MAX };
  const results = await listOldResults(db.kysely, which);
  for (const { id, path, chatPath } of results) {
    await removeFiles([path, chatPath]);
    await clearResult(db.kysely, id);
  }
  const inputs = await listOldInputs(db.kysely, which);
  for (const { jobId, field, path } of inputs) {
    await removeFiles([path]);
    await updateJobInput(db.kysely, { jobId, field }, { path: null });
  }
  return results.length + inputs.length;
}
