import { claimFirst, joinLines, lineOf } from '../../db/queries/job-lines.ts';
import type { Queryable } from '../../db/schema.ts';
import type { JobRow } from '../../db/schema/jobs.ts';
import { type OpenStage, PIPELINE } from '../../src/bot/jobs/run/pipeline.ts';
import { CAPABILITIES } from '../../src/media-api/wire.ts';

/** All lines that a job may wait in. */
export const ALL_LINES: readonly string[] = (Object.keys(PIPELINE) as OpenStage[]).flatMap((stage) => [
  ...new Set(CAPABILITIES.map((capability) => lineOf(stage, capability))),
]);

/** Claims a job as a worker with free capacity does: puts all due jobs in line and takes the first. */
export async function claimDueJob(
  db: Queryable,
  options: { readonly nowMs: number; readonly leaseMs: number; readonly owner: string },
): Promise<JobRow | undefined> {
  await joinLines(db, options.nowMs);
  return claimFirst(db, { ...options, lines: ALL_LINES });
}
