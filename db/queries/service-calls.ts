import { type SelectQueryBuilder, sql } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';
import type { Queryable, Schema, Trx } from '../schema.ts';
import type { JobOutcome, JobRow, JobStage } from '../schema/jobs.ts';
import type { HoldState } from '../schema/ledger.ts';

/** A job that is, or may be, at the service, with the data of its hold. */
export interface ServiceCallRow {
  readonly id: string;
  readonly guild_id: string;
  readonly capability: string;
  readonly stage: JobStage;
  readonly outcome: JobOutcome | null;
  readonly service_job_id: string | null;
  readonly accepted_at_ms: number;
  readonly submit_from_ms: number | null;
  readonly submit_to_ms: number | null;
  readonly submitted_at_ms: number | null;
  readonly finished_at_ms: number | null;
  readonly settled_at_ms: number | null;
  readonly state: HoldState;
  readonly charged_micros: MicroUsd;
  readonly amount_micros: MicroUsd;
  /** JSON of the quote that the hold's amount was computed from. */
  readonly rate_card: string;
}

/** Returns the calls that have these ids at the service. Pass at most a few hundred ids. */
export async function listCallsByServiceId(
  db: Queryable,
  serviceJobIds: readonly string[],
): Promise<ServiceCallRow[]> {
  if (serviceJobIds.length === 0) return [];
  return callsOf(db).where('service_job_id', 'in', serviceJobIds).execute();
}

/** Returns the calls of these jobs. Pass at most a few hundred jobs. */
export async function listCallsOfJobs(db: Queryable, jobIds: readonly string[]): Promise<ServiceCallRow[]> {
  if (jobIds.length === 0) return [];
  return callsOf(db).where('jobs.id', 'in', jobIds).execute();
}

/**
 * Returns the calls that were accepted from `fromMs` (included) to `toMs` (excluded), at most `limit`: those with a
 * known id at the service, and those that may be there under an unknown id. With `unconfirmed`, only the latter.
 */
export async function listCallsByTime(
  db: Queryable,
  options: {
    readonly fromMs: number;
    readonly toMs: number;
    readonly unconfirmed: boolean;
    readonly limit: number;
  },
): Promise<ServiceCallRow[]> {
  return callsOf(db)
    .where('accepted_at_ms', '>=', options.fromMs)
    .where('accepted_at_ms', '<', options.toMs)
    .$if(options.unconfirmed, (query) => query.where('service_job_id', 'is', null))
    .where((eb) =>
      eb.or([
        eb('service_job_id', 'is not', null),
        eb('outcome', '=', 'unknown'),
        eb('stage', '=', 'submitting'),
      ]),
    )
    .limit(options.limit)
    .execute();
}

/** Stores the price that reconciliation found for a job, unless a price is already stored. */
export async function recordLateCharge(trx: Trx, id: string, charged: MicroUsd): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({ charged_micros: charged })
    .where('id', '=', id)
    .where('charged_micros', 'is', null)
    .execute();
}

type CallsQuery = SelectQueryBuilder<Schema, 'jobs' | 'holds', ServiceCallRow>;

function callsOf(db: Queryable): CallsQuery {
  return db
    .selectFrom('jobs')
    .innerJoin('holds', 'holds.subject', 'jobs.id')
    .select([
      'jobs.id as id',
      'jobs.guild_id as guild_id',
      'jobs.capability as capability',
      'jobs.stage as stage',
      'jobs.outcome as outcome',
      'jobs.service_job_id as service_job_id',
      'jobs.accepted_at_ms as accepted_at_ms',
      'jobs.submit_from_ms as submit_from_ms',
      'jobs.submit_to_ms as submit_to_ms',
      'jobs.submitted_at_ms as submitted_at_ms',
      'jobs.finished_at_ms as finished_at_ms',
      'jobs.settled_at_ms as settled_at_ms',
      'holds.state as state',
      'holds.charged_micros as charged_micros',
      'holds.amount_micros as amount_micros',
      'holds.rate_card as rate_card',
    ]);
}

/** A failed job that the service charged for. */
type ChargedFailureRow = Pick<JobRow, 'id' | 'guild_id' | 'capability'> & {
  readonly charged_micros: MicroUsd;
  readonly settled_at_ms: number;
};

/**
 * Returns failed jobs that the service charged for and that were settled after `afterMs` and up to `toMs`, oldest
 * first, at most `limit`.
 */
export async function listChargedFailures(
  db: Queryable,
  options: { readonly afterMs: number; readonly toMs: number; readonly limit: number },
): Promise<ChargedFailureRow[]> {
  return db
    .selectFrom('jobs')
    .select(['id', 'guild_id', 'capability'])
    .select([
      sql<MicroUsd>`charged_micros`.as('charged_micros'),
      sql<number>`settled_at_ms`.as('settled_at_ms'),
    ])
    .where(sql<boolean>`stage = 'settled' and service_status = 'failed' and charged_micros > 0`)
    .where('settled_at_ms', '>', options.afterMs)
    .where('settled_at_ms', '<=', options.toMs)
    .orderBy('settled_at_ms')
    .limit(options.limit)
    .execute();
}
