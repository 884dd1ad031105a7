import { sql } from 'kysely';
import type { Queryable } from '../schema.ts';

const LAST = 50;

interface JobDuration {
  /**
   * The time in milliseconds from the command until the job was settled, not counting the wait for the price
   * confirmation.
   */
  readonly wholeMs: number;
  /** The time in milliseconds from the submission to the observed end. */
  readonly serviceMs: number;
}

/** Returns the durations of the last 50 successful jobs of `capability`, newest first. */
export async function listDurations(db: Queryable, capability: string): Promise<JobDuration[]> {
  return db
    .selectFrom('jobs')
    .select(
      sql<number>`settled_at_ms - accepted_at_ms - coalesce(confirmed_at_ms - asked_at_ms, 0)`.as('wholeMs'),
    )
    .select(
      sql<number>`coalesce(finished_at_ms, settled_at_ms) - coalesce(submitted_at_ms, accepted_at_ms)`.as(
        'serviceMs',
      ),
    )
    .where('capability', '=', capability)
    .where(sql<boolean>`outcome = 'succeeded' and stage = 'settled'`)
    .orderBy('settled_at_ms', 'desc')
    .limit(LAST)
    .execute();
}
