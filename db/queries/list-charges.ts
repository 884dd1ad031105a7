import { sql } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';
import type { Queryable } from '../schema.ts';

const LAST = 100;

export interface JobCharge {
  readonly charged: MicroUsd;
  /** JSON of the quote that the job's hold was computed from; null if the hold is not stored. */
  readonly rateCard: string | null;
}

/** Returns the charges of the last 100 successful jobs of `capability`, newest first, leaving out free jobs. */
export async function listCharges(db: Queryable, capability: string): Promise<JobCharge[]> {
  return db
    .selectFrom('jobs')
    .leftJoin('holds', 'holds.subject', 'jobs.id')
    .select([sql<MicroUsd>`jobs.charged_micros`.as('charged'), 'holds.rate_card as rateCard'])
    .where('jobs.capability', '=', capability)
    .where(sql<boolean>`jobs.outcome = 'succeeded' and jobs.stage = 'settled'`)
    .where('jobs.charged_micros', '>', sql<MicroUsd>`0`)
    .orderBy('jobs.settled_at_ms', 'desc')
    .limit(LAST)
    .execute();
}
