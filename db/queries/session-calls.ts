import type { SelectQueryBuilder } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';
import type { Queryable, Schema, Trx } from '../schema.ts';
import type { HoldState } from '../schema/ledger.ts';
import type { SessionState } from '../schema/sessions.ts';

/** A session that is at the service, with the data of its hold. */
export interface SessionCallRow {
  readonly id: string;
  readonly guild_id: string;
  readonly capability: string;
  readonly state: SessionState;
  readonly service_session_id: string | null;
  readonly granted_seconds: number | null;
  readonly max_cost_micros: MicroUsd | null;
  readonly opened_at_ms: number;
  readonly connected_at_ms: number | null;
  readonly ended_at_ms: number | null;
  readonly end_reason: string | null;
  readonly metered_ms: number;
  readonly hold_state: HoldState;
  readonly booked_micros: MicroUsd;
}

/** Returns the sessions that have these ids at the service. Pass at most a few hundred ids. */
export async function listSessionsByServiceId(
  db: Queryable,
  serviceSessionIds: readonly string[],
): Promise<SessionCallRow[]> {
  if (serviceSessionIds.length === 0) return [];
  return callsOf(db).where('service_session_id', 'in', serviceSessionIds).execute();
}

/** Returns those sessions with these bot ids that also have an id at the service. Pass at most a few hundred ids. */
export async function listSessionCalls(db: Queryable, ids: readonly string[]): Promise<SessionCallRow[]> {
  if (ids.length === 0) return [];
  return callsOf(db).where('sessions.id', 'in', ids).where('service_session_id', 'is not', null).execute();
}

/** Returns the sessions that were opened from `fromMs` (included) to `toMs` (excluded), at most `limit`. */
export async function listSessionsByTime(
  db: Queryable,
  options: { readonly fromMs: number; readonly toMs: number; readonly limit: number },
): Promise<SessionCallRow[]> {
  return callsOf(db)
    .where('service_session_id', 'is not', null)
    .where('opened_at_ms', '>=', options.fromMs)
    .where('opened_at_ms', '<', options.toMs)
    .limit(options.limit)
    .execute();
}

/** Stores the price that reconciliation found for an ended session, replacing any earlier price. */
export async function recordSessionCharge(
  trx: Trx,
  { id, charged, nowMs }: { readonly id: string; readonly charged: MicroUsd; readonly nowMs: number },
): Promise<void> {
  await trx
    .updateTable('sessions')
    .set((eb) => ({
      state: 'settled',
      charged_micros: charged,
      settled_at_ms: eb.fn.coalesce('settled_at_ms', eb.val(nowMs)),
      due_at_ms: null,
    }))
    .where('id', '=', id)
    .where('state', 'in', ['ended', 'settled'])
    .execute();
}

type CallsQuery = SelectQueryBuilder<Schema, 'sessions' | 'holds', SessionCallRow>;

function callsOf(db: Queryable): CallsQuery {
  return db
    .selectFrom('sessions')
    .innerJoin('holds', 'holds.subject', 'sessions.id')
    .select([
      'sessions.id as id',
      'sessions.guild_id as guild_id',
      'sessions.capability as capability',
      'sessions.state as state',
      'sessions.service_session_id as service_session_id',
      'sessions.granted_seconds as granted_seconds',
      'sessions.max_cost_micros as max_cost_micros',
      'sessions.opened_at_ms as opened_at_ms',
      'sessions.connected_at_ms as connected_at_ms',
      'sessions.ended_at_ms as ended_at_ms',
      'sessions.end_reason as end_reason',
      'sessions.metered_ms as metered_ms',
      'holds.state as hold_state',
      'holds.charged_micros as booked_micros',
    ]);
}
