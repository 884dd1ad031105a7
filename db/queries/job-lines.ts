import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../schema.ts';
import type { JobRow, JobStage } from '../schema/jobs.ts';
import { isPostgres, rowsOf, skipLocked } from '../dialect.ts';
import { isOpen } from './jobs.ts';

/**
 * The most due jobs that get in line at once, because many jobs after a long pause must not make one long transaction.
 */
const JOIN_MAX = 200;

/**
 * The line in which a due job waits, by its stage. The submits of each capability have a line of their own, because the
 * service accepts only a limited number of each at a time.
 */
export function lineOf(stage: JobStage, capability: string): string {
  return stage === 'submitting' ? `${stage} ${capability}` : stage;
}

/** The line in which fetched jobs wait to ask for a confirmation of their price, or to end without one. */
export const ASKING_LINE = 'asking';

/**
 * The line in which jobs wait for their last try. A last try runs alone in its process, so that a step that ends its
 * process for the third time does not count against other jobs.
 */
export const LAST_TRY_LINE = 'last try';

/** Counts a lease that has run out: if the job still has one, no result was recorded. */
const lostLeases = sql<number>`lost_leases + case when lease_owner is null then 0 else 1 end`;

/**
 * Puts due jobs in line, those due for the longest time first, at most 200 a call. A job that has lost all but one of
 * `lostLeasesMax` leases in a row (default: no limit) waits for its last try.
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
    // An array is computed once. A select may be repeated, and then it takes other rows.
    .where(isPostgres(db) ? sql<boolean>`id = any(array${due})` : sql<boolean>`id in ${due}`)
    .execute();
}

interface ClaimOptions {
  readonly nowMs: number;
  readonly leaseMs: number;
  readonly owner: string;
  /** The lines to look at. The job whose turn it is in the first line that is not empty is taken. */
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
 * Takes the first job in line that no other process is taking, for `leaseMs`. While the lease runs, no other process
 * gets the job; afterwards it is due again. Counts the attempt, and the lost lease if there was one, and raises the
 * fence. Returns `undefined` if no job waits in these lines.
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
      // Stored before anything is sent, so that it remains if the process dies during the send.
      submit_from_ms: sql`case when stage = 'submitting' then coalesce(submit_from_ms, ${nowMs}) else submit_from_ms end`,
      lost_leases: lostLeases,
      updated_at_ms: nowMs,
    })
    .where('id', '=', firstOf(db, options))
    .returningAll()
    .executeTakeFirst();
}

/** One seek for each line, no matter how many jobs wait in it, except those that are passed over. */
function firstOf(
  db: Queryable,
  { lines, passedOver = [] }: Pick<ClaimOptions, 'lines' | 'passedOver'>,
): RawBuilder<string> {
  const passed = rowsOf(
    db,
    passedOver.map(({ line, guildId }) => `${line} ${guildId}`),
  );
  const first = sql`select id from jobs where ${isOpen} and line = waiting.value
    and (line || ' ' || guild_id) not in (select value from ${passed}) order by turn limit 1`;
  const waiting = rowsOf(db, lines, 'waiting');
  if (isPostgres(db)) {
    // A lateral join looks at one line after the other and stops at the first job that is not locked.
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

/** When the next open job outside the lines, or the next lease, falls due; `undefined` if there is none. */
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

/** The number of jobs of the capability that are at the service and not known to have ended, counted up to `limit`. */
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

/** The first `limit` jobs of a line, in order. */
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
