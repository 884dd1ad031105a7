import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../schema.ts';
import type { Account, EntryRow, HoldRow } from '../schema/ledger.ts';
import type { MeterRow } from '../schema/spending.ts';
import type { SpendingKey } from './spending.ts';

/**
 * Each check compares stored values with computed ones in one statement, so that it is also correct while other
 * processes continue to book.
 */

/** Sums over ledger entries. */
export interface Figures {
  readonly posted: number;
  readonly pending: number;
  readonly overrun: number;
}

/** A hold, and the figures computed from its entries. */
export interface CheckedHold extends Figures {
  readonly hold: Pick<
    HoldRow,
    'subject' | 'guild_id' | 'state' | 'amount_micros' | 'charged_micros' | 'overrun_micros'
  >;
  readonly held: number;
  /**
   * `begun` counts the hold's opening entries; `astray` counts its entries whose guild or quarter of an hour differs
   * from the hold's.
   */
  readonly begun: number;
  readonly astray: number;
}

/** Returns the expression for the amount by which an entry `e` changes an account. */
function into(account: Account): RawBuilder<number> {
  return sql`case when e.debit_account = ${sql.lit(account)} then e.amount_micros
    when e.credit_account = ${sql.lit(account)} then -e.amount_micros else 0 end`;
}

/** Returns the expression for a sum as a whole number. It is cast because `sum` returns a `numeric` in PostgreSQL. */
function total(amount: RawBuilder<number>): RawBuilder<number> {
  return sql`cast(coalesce(sum(${amount}), 0) as bigint)`;
}

/**
 * Returns the holds whose subjects are after `after`, with the figures computed from their entries, at most `limit`.
 */
export async function checkHolds(
  db: Queryable,
  page: { readonly after: string; readonly limit: number },
): Promise<CheckedHold[]> {
  const held = sql<number>`case when e.kind = 'hold' or (e.kind = 'adjustment' and 'budget' in (e.debit_account, e.credit_account))
    then ${into('pending')} else 0 end`;
  const { rows } = await sql<CheckedHold['hold'] & Omit<CheckedHold, 'hold'>>`
    with page as (select * from holds where subject > ${page.after} order by subject limit ${page.limit})
    select p.subject, p.guild_id, p.state, p.amount_micros, p.charged_micros, p.overrun_micros,
      ${total(into('spent'))} as posted,
      ${total(into('pending'))} as pending,
      -${total(into('overrun'))} as overrun,
      ${total(held)} as held,
      ${total(sql`case when e.kind = 'hold' then 1 else 0 end`)} as begun,
      ${total(sql`case when e.guild_id <> p.guild_id or e.slot_ms <> p.slot_ms then 1 else 0 end`)} as astray
    from page as p left join ledger_entries as e on e.subject = p.subject
    group by p.subject, p.guild_id, p.state, p.amount_micros, p.charged_micros, p.overrun_micros
    order by p.subject`.execute(db);
  return rows.map(({ posted, pending, overrun, held: amount, begun, astray, ...hold }) => ({
    hold,
    posted,
    pending,
    overrun,
    held: amount,
    begun,
    astray,
  }));
}

/** An entry that belongs to no hold, or a correction that does not refer to an earlier entry of the same subject. */
type StrayEntry = Pick<EntryRow, 'id' | 'subject' | 'corrects'> & { readonly hasHold: boolean };

/**
 * Returns entries after `after` that are not linked correctly, at most `limit`. Entries for foreign use need no hold.
 */
export async function listStrayEntries(
  db: Queryable,
  page: { readonly after: number; readonly limit: number },
): Promise<StrayEntry[]> {
  const { rows } = await sql<Pick<EntryRow, 'id' | 'subject' | 'corrects'> & { held: string | null }>`
    select e.id, e.subject, e.corrects, h.subject as held from ledger_entries as e
    left join holds as h on h.subject = e.subject
    left join ledger_entries as c on c.id = e.corrects and c.subject = e.subject and c.id < e.id
    where e.id > ${page.after} and ((h.subject is null and e.debit_account not in ('service', 'unattributed'))
      or (e.corrects is not null and c.id is null))
    order by e.id limit ${page.limit}`.execute(db);
  return rows.map(({ held, ...entry }) => ({ ...entry, hasHold: held !== null }));
}

/** Returns the first guild after `after` that has entries, spending or meters. */
export async function nextBookedGuild(db: Queryable, after: string): Promise<string | undefined> {
  const { rows } = await sql<{ next: string | null }>`
    select min(next) as next from (
      select min(guild_id) as next from ledger_entries where guild_id > ${after}
      union all select min(guild_id) as next from spending where guild_id > ${after}
      union all select min(guild_id) as next from meters where guild_id > ${after}) as nexts`.execute(db);
  return rows[0]?.next ?? undefined;
}

/** Returns the first quarter of an hour at or after `fromMs` that has entries or spending. */
export async function nextBookedSlot(
  db: Queryable,
  guildId: string,
  fromMs: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ next: number | null }>`
    select min(next) as next from (
      select min(slot_ms) as next from ledger_entries where guild_id = ${guildId} and slot_ms >= ${fromMs}
      union all select min(slot_ms) as next from spending
        where guild_id = ${guildId} and slot_ms >= ${fromMs}) as nexts`.execute(db);
  return rows[0]?.next ?? undefined;
}

/** A stored sum that differs from the computed value. */
export interface WrongSum<Key> {
  readonly key: Key;
  readonly stored: Figures;
  readonly computed: Figures;
}

interface BothFigures extends Figures {
  readonly stored_posted: number;
  readonly stored_pending: number;
  readonly stored_overrun: number;
}

function bothOf(row: BothFigures): Pick<WrongSum<unknown>, 'stored' | 'computed'> {
  const { posted, pending, overrun } = row;
  return {
    stored: { posted: row.stored_posted, pending: row.stored_pending, overrun: row.stored_overrun },
    computed: { posted, pending, overrun },
  };
}

/** Returns the rows of `spending` in a span of time that differ from the entries. */
export async function listWrongSpending(
  db: Queryable,
  of: { readonly guildId: string; readonly fromMs: number; readonly toMs: number },
): Promise<WrongSum<SpendingKey>[]> {
  const { guildId, fromMs, toMs } = of;
  const { rows } = await sql<BothFigures & { slot_ms: number; user_id: string; capability: string }>`
    select slot_ms, user_id, capability,
      ${total(sql`stored_posted`)} as stored_posted, ${total(sql`stored_pending`)} as stored_pending,
      ${total(sql`stored_overrun`)} as stored_overrun,
      ${total(sql`posted`)} as posted, ${total(sql`pending`)} as pending, ${total(sql`overrun`)} as overrun
    from (
      select slot_ms, user_id, capability, posted_micros as stored_posted, pending_micros as stored_pending,
        overrun_micros as stored_overrun, 0 as posted, 0 as pending, 0 as overrun
      from spending where guild_id = ${guildId} and slot_ms >= ${fromMs} and slot_ms < ${toMs}
      union all
      select e.slot_ms, h.user_id, h.capability, 0, 0, 0,
        ${into('spent')}, ${into('pending')}, -(${into('overrun')})
      from ledger_entries as e join holds as h on h.subject = e.subject
      where e.guild_id = ${guildId} and e.slot_ms >= ${fromMs} and e.slot_ms < ${toMs}
    ) as figures
    group by slot_ms, user_id, capability
    having sum(stored_posted) <> sum(posted) or sum(stored_pending) <> sum(pending) or sum(stored_overrun) <> sum(overrun)
    order by slot_ms, user_id, capability`.execute(db);
  return rows.map((row) => ({
    key: { guildId, slotMs: row.slot_ms, userId: row.user_id, capability: row.capability },
    ...bothOf(row),
  }));
}

/** The key of a meter. Pages are sorted by these columns, in this order. */
export type MeterId = Pick<MeterRow, 'user_id' | 'capability' | 'period' | 'starts_at_ms' | 'ends_at_ms'>;

/**
 * Returns at most `limit` meters after `after`, each with the sum computed from `spending`: the guild's own meters, or
 * those of its members.
 */
export async function checkMeters(
  db: Queryable,
  of: { readonly guildId: string; readonly isOfMembers: boolean },
  page: { readonly after: MeterId | undefined; readonly limit: number },
): Promise<WrongSum<MeterId>[]> {
  const {
    user_id: userId,
    capability,
    period,
    starts_at_ms: startsAtMs,
    ends_at_ms: endsAtMs,
  } = page.after ?? BEFORE_ALL;
  const whose = of.isOfMembers ? sql`m.user_id <> ''` : sql`m.user_id = ''`;
  const join = of.isOfMembers ? sql`and s.user_id = m.user_id` : sql``;
  const { rows } = await sql<BothFigures & MeterId>`
    select m.user_id, m.capability, m.period, m.starts_at_ms, m.ends_at_ms, m.posted_micros as stored_posted,
      m.pending_micros as stored_pending, m.overrun_micros as stored_overrun,
      ${total(sql`s.posted_micros`)} as posted, ${total(sql`s.pending_micros`)} as pending,
      ${total(sql`s.overrun_micros`)} as overrun
    from (select * from meters as m where m.guild_id = ${of.guildId} and ${whose}
      and (m.user_id, m.capability, m.period, m.starts_at_ms, m.ends_at_ms)
        > (${userId}, ${capability}, ${period}, ${startsAtMs}, ${endsAtMs})
      order by m.user_id, m.capability, m.period, m.starts_at_ms, m.ends_at_ms limit ${page.limit}) as m
    left join spending as s on s.guild_id = m.guild_id and s.slot_ms >= m.starts_at_ms and s.slot_ms < m.ends_at_ms
      ${join} and (m.capability = '' or s.capability = m.capability)
    group by m.user_id, m.capability, m.period, m.starts_at_ms, m.ends_at_ms,
      m.posted_micros, m.pending_micros, m.overrun_micros
    order by m.user_id, m.capability, m.period, m.starts_at_ms, m.ends_at_ms`.execute(db);
  return rows.map((row) => {
    const { user_id, starts_at_ms, ends_at_ms } = row;
    const key = { user_id, capability: row.capability, period: row.period, starts_at_ms, ends_at_ms };
    return { key, ...bothOf(row) };
  });
}

const BEFORE_ALL: Omit<MeterId, 'period'> & { readonly period: string } = {
  user_id: '',
  capability: '',
  period: '',
  starts_at_ms: 0,
  ends_at_ms: 0,
};

export async function countEntries(db: Queryable): Promise<number> {
  const counted = await db
    .selectFrom('ledger_entries')
    .select((eb) => eb.fn.countAll<number>().as('entries'))
    .executeTakeFirstOrThrow();
  return counted.entries;
}
