import type { Queryable, Trx } from '../schema.ts';
import type { ReportRow } from '../schema/reports.ts';

/**
 * Stores a report. A second report of the same job by a member changes nothing. Returns whether the report was stored,
 * and whether it is the job's first report.
 */
export async function insertReport(
  db: Queryable,
  report: ReportRow,
): Promise<{ readonly inserted: boolean; readonly isFirst: boolean }> {
  const earlier = await db
    .selectFrom('reports')
    .select('id')
    .where('job_id', '=', report.job_id)
    .limit(1)
    .executeTakeFirst();
  const inserted = await db
    .insertInto('reports')
    .values(report)
    .onConflict((conflict) => conflict.columns(['job_id', 'reporter_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return { inserted: inserted !== undefined, isFirst: earlier === undefined };
}

/** Returns the reports that a member filed, at most `limit`. */
export async function listReportsOfMember(
  db: Queryable,
  userId: string,
  limit: number,
): Promise<ReportRow[]> {
  return db.selectFrom('reports').selectAll().where('reporter_id', '=', userId).limit(limit).execute();
}

export async function deleteReportsOfMember(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('reports').where('reporter_id', '=', userId).execute();
}

export async function deleteReportsOfGuild(trx: Trx, guildId: string): Promise<void> {
  await trx.deleteFrom('reports').where('guild_id', '=', guildId).execute();
}
