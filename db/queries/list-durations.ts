import { sql } from 'kysely';
import type { Queryable } from '../schema.ts';

const LAST = 50;

interface JobDuration {
  /** From command to settled, in milliseconds, less what the member thought about the price. */
  readonly wholeMs: number;
  /** From submit to the end seen, in milliseconds. */
  readonly serviceMs: number;
}

/** What the last 50 successes of `capability` took, the newest first. */
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
