import { type RawBuilder, sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';
import type { NewSession, SessionPatch, SessionRow, SessionState } from '../schema/sessions.ts';

/** The states are literals, because SQLite would not use the partial indexes if they were parameters. */
const isRunning: RawBuilder<boolean> = sql<boolean>`state in ('opening', 'open')`;
const isAwaited: RawBuilder<boolean> = sql<boolean>`state = 'ended' and due_at_ms is not null`;

export async function insertSession(trx: Trx, session: NewSession): Promise<void> {
  await trx.insertInto('sessions').values(session).execute();
}

export async function findSession(db: Queryable, id: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns a session of the member that is opening or open; `undefined` if there is none. */
export async function findRunningSession(
  db: Queryable,
  of: { readonly userId: string; readonly capability: string },
): Promise<string | undefined> {
  const found = await db
    .selectFrom('sessions')
    .select('id')
    .where(isRunning)
    .where('lease_until_ms', '>=', 0)
    // The expression keeps SQLite from using the index on members, because few sessions are running and a member may
    // have many past ones.
    .where(sql<string>`user_id || ''`, '=', of.userId)
    .where('capability', '=', of.capability)
    .limit(1)
    .executeTakeFirst();
  return found?.id;
}

/** Changes a session if it is in one of the given states. Returns the changed session. */
export async function changeSession(
  db: Queryable,
  which: { readonly id: string; readonly from: readonly SessionState[] },
  patch: Omit<SessionPatch, 'id'>,
): Promise<SessionRow | undefined> {
  return db
    .updateTable('sessions')
    .set(patch)
    .where('id', '=', which.id)
    .where('state', 'in', which.from)
    .returningAll()
    .executeTakeFirst();
}

/** A running session and the duration that the bot has measured for it, in milliseconds. */
export interface MeteredSession {
  readonly id: string;
  readonly meteredMs: number;
}

/** Extends the leases of the sessions of a process to `leaseUntilMs`, and stores their measured durations. */
export async function renewSessions(
  trx: Trx,
  sessions: readonly MeteredSession[],
  leaseUntilMs: number,
): Promise<void> {
  for (const { id, meteredMs } of sessions) {
    await trx
      .updateTable('sessions')
      .set({ lease_until_ms: leaseUntilMs, metered_ms: Math.round(meteredMs) })
      .where('id', '=', id)
      .where(isRunning)
      .execute();
  }
}

/** Returns the sessions whose lease has run out, at most `limit`. */
export async function listLostSessions(db: Queryable, nowMs: number, limit: number): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where(isRunning)
    .where('lease_until_ms', '<=', nowMs)
    .orderBy('lease_until_ms')
    .limit(limit)
    .execute();
}

/** Returns ended sessions whose usage record is due to be searched for, at most `limit`. */
export async function listDueSessions(db: Queryable, nowMs: number, limit: number): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where(isAwaited)
    .where('due_at_ms', '<=', nowMs)
    .orderBy('due_at_ms')
    .limit(limit)
    .execute();
}

/**
 * Counts a search for the usage record of a session, and sets the time of the next search (null: never). Returns false
 * if another process has already done so.
 */
export async function postponeSession(
  db: Queryable,
  session: Pick<SessionRow, 'id' | 'due_at_ms'>,
  dueAtMs: number | null,
): Promise<boolean> {
  const postponed = await db
    .updateTable('sessions')
    .set({ due_at_ms: dueAtMs, looks: sql`looks + 1` })
    .where('id', '=', session.id)
    .where(isAwaited)
    .where('due_at_ms', '=', session.due_at_ms)
    .returning('id')
    .executeTakeFirst();
  return postponed !== undefined;
}
