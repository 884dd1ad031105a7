import { sql } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';
import type { Queryable } from '../schema.ts';

const LAST = 100;

export interface JobCharge {
  readonly charged: MicroUsd;
  /** JSON: what its hold was computed from; null when the hold is not kept. */
  readonly rateCard: string | null;
}

/** What the last 100 successes of `capability` cost, the newest first; those that were free are left out. */
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
