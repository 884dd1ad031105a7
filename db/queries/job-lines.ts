import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../schema.ts';
import type { JobRow, JobStage } from '../schema/jobs.ts';
import { isPostgres, rowsOf, skipLocked } from '../dialect.ts';
import { isOpen } from './jobs.ts';

/** The maximum number of due jobs that one call puts in line, so that no transaction becomes long. */
const JOIN_MAX = 200;

/**
 * Returns the line in which a due job waits, by its stage. Submissions have a separate line for each capability,
 * because the service accepts only a limited number of jobs of each capability at a time.
 */
export function lineOf(stage: JobStage, capability: string): string {
  return stage === 'submitting' ? `${stage} ${capability}` : stage;
}

/**
 * The line of fetched jobs that are due to ask their member to confirm the price, or to end because the member did not
 * confirm it.
 */
export const ASKING_LINE = 'asking';

/**
 * The line of jobs that wait for their last try. A last try runs alone in its process, so that other jobs lose no lease
 * if the step crashes the process again.
 */
export const LAST_TRY_LINE = 'last try';

/** The number of lost leases, including the current lease if it has run out. */
const lostLeases = sql<number>`lost_leases + case when lease_owner is null then 0 else 1 end`;

/**
 * Puts due jobs in line, those due for the longest time first, at most 200 in each call. A job that has lost all but
 * one of the `lostLeasesMax` leases that it may lose (default: no limit) waits in the line for last tries.
 */
export async function joinLines(
  db: Queryable,
  nowMs: number,
  lostLeasesMax: number = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  const due = db
    .selectFrom('jobs')
    .select('id')
    .where(isOpen)
    .where('line', 'is', null)
    .where('due_at_ms', '<=', nowMs)
    .orderBy('due_at_ms')
    .limit(JOIN_MAX)
    .modifyEnd(skipLocked(db));
  await db
    .updateTable('jobs')
    .set({
      line: sql`case
        when ${lostLeases} = ${lostLeasesMax - 1} then ${LAST_TRY_LINE}
        when stage = 'submitting' then stage || ' ' || capability
        when stage = 'fetched' and asked_at_ms is not null and confirmed_at_ms is null then 'asking'
        else stage end`,
    })
    // PostgreSQL computes an array once, but may run a subselect several times, and select different rows each time.
    .where(isPostgres(db) ? sql<boolean>`id = any(array${due})` : sql<boolean>`id in ${due}`)
    .execute();
}

interface ClaimOptions {
  readonly nowMs: number;
  readonly leaseMs: number;
  readonly owner: string;
  /** The lines in the order in which they are tried. */
  readonly lines: readonly string[];
  /** Guilds whose jobs are passed over in a line. Default: none. */
  readonly passedOver?: readonly PassedOver[];
}

/** A guild whose jobs must not be taken from a line now. */
export interface PassedOver {
  readonly line: string;
  readonly guildId: string;
}

/**
 * Claims the first job in line that no other process is claiming, for `leaseMs`. No other process gets the job during
 * the lease; once the lease has run out, the job is due again. Counts the attempt, and a lost lease if there was one,
 * and increases the fence. Returns `undefined` if no job waits in these lines.
 */
export async function claimFirst(db: Queryable, options: ClaimOptions): Promise<JobRow | undefined> {
  const { nowMs, leaseMs, owner } = options;
  const leaseUntilMs = nowMs + leaseMs;
  return db
    .updateTable('jobs')
    .set({
      line: null,
      lease_owner: owner,
      lease_until_ms: leaseUntilMs,
      due_at_ms: leaseUntilMs,
      woken_at_ms: null,
      fence: sql`fence + 1`,
      attempts: sql`attempts + 1`,
      // This time is stored before anything is sent, so that it is known even if the process dies while sending.
      submit_from_ms: sql`case when stage = 'submitting' then coalesce(submit_from_ms, ${nowMs}) else submit_from_ms end`,
      lost_leases: lostLeases,
      updated_at_ms: nowMs,
    })
    .where('id', '=', firstOf(db, options))
    .returningAll()
    .executeTakeFirst();
}

/**
 * Selects the first job in line with one index seek for each line, no matter how many jobs wait. If guilds are passed
 * over in a line, the query also reads past their jobs there, whose number is limited for each guild.
 */
function firstOf(
  db: Queryable,
  { lines, passedOver = [] }: Pick<ClaimOptions, 'lines' | 'passedOver'>,
): RawBuilder<string> {
  const keys = passedOver.map(({ line, guildId }) => `${line} ${guildId}`);
  // Most claims pass no guild over, and checking even an empty list would take a tenth of a claim's time.
  const mayTake =
    keys.length === 0
      ? sql`true`
      : sql`(line || ' ' || guild_id) not in (select value from ${rowsOf(db, keys)})`;
  const first = sql`select id from jobs where ${isOpen} and line = waiting.value and ${mayTake} order by turn limit 1`;
  const waiting = rowsOf(db, lines, 'waiting');
  if (isPostgres(db)) {
    // A lateral join tries one line after another and stops at the first job that is not locked.
    return sql<string>`(
      select first.id from ${waiting} cross join lateral (${first} ${skipLocked(db)}) as first limit 1)`;
  }
  return sql<string>`(
    select id from (select (${first}) as id, waiting.key as place from ${waiting})
    where id is not null order by place limit 1)`;
}

/** Whether any job waits in a line. */
export async function isAnybodyIn(db: Queryable, line: string): Promise<boolean> {
  const first = await db
    .selectFrom('jobs')
    .select('id')
    .where(isOpen)
    .where('line', '=', line)
    .limit(1)
    .executeTakeFirst();
  return first !== undefined;
}

/**
 * Returns the next time at which an open job that is not in line becomes due or a lease runs out; `undefined` if there
 * is none.
 */
export async function nextDueAtMs(db: Queryable): Promise<number | undefined> {
  const next = await db
    .selectFrom('jobs')
    .select('due_at_ms')
    .where(isOpen)
    .where('line', 'is', null)
    .orderBy('due_at_ms')
    .limit(1)
    .executeTakeFirst();
  return next?.due_at_ms;
}

/**
 * Returns the number of jobs of the capability that are at the service and not known to have ended, counted up to
 * `limit`.
 */
export async function countAtService(db: Queryable, capability: string, limit: number): Promise<number> {
  const atService = db
    .selectFrom('jobs')
    .select('capability')
    .where(sql<boolean>`stage = 'submitted'`)
    .where('capability', '=', capability)
    .limit(limit)
    .as('at_service');
  const counted = await db
    .selectFrom(atService)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return counted.count;
}

/** Returns the first `limit` jobs of a line, in order. */
export async function listLine(db: Queryable, line: string, limit: number): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where(isOpen)
    .where('line', '=', line)
    .orderBy('turn')
    .limit(limit)
    .execute();
}
