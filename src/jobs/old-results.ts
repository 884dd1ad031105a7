import type { Clock } from '../base/clock.ts';
import type { Database } from '../../db/database.ts';
import { forgetResult, listOldResults } from '../../db/queries/jobs.ts';
import { removeFiles } from './result-files.ts';

const AT_ONCE_MAX = 500;

/** Removes results that were kept for `keepMs`, at most 500 at a time; returns how many. */
export async function removeOldResults(
  db: Database,
  options: { readonly clock: Clock; readonly keepMs: number },
): Promise<number> {
  const beforeMs = options.clock.now() - options.keepMs;
  const old = await listOldResults(db.kysely, { beforeMs, limit: AT_ONCE_MAX });
  for (const { id, path, chatPath } of old) {
    await removeFiles([path, chatPath]);
    await forgetResult(db.kysely, id);
  }
  return old.length;
}
