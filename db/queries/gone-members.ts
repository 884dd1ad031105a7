import { type RawBuilder, sql } from 'kysely';
import { ZERO } from '../../src/base/money.ts';
import { prepared } from '../prepared.ts';
import type { Queryable, Trx } from '../schema.ts';
import type { GoneMemberRow } from '../schema/removals.ts';
import { sumUpSpending } from './spending.ts';

/** A member whose data was removed, in one guild. */
export type GoneMember = Pick<GoneMemberRow, 'guild_id' | 'pseudonym'>;

const find = prepared((db, key: { readonly guildId: string; readonly pseudonym: string }) =>
  db
    .selectFrom('gone_members')
    .select('pseudonym')
    .where('guild_id', '=', key.guildId)
    .where('pseudonym', '=', key.pseudonym),
);

/** Whether spending from before the removal of a member's data still counts in a guild under their pseudonym. */
export async function isGone(
  db: Queryable,
  key: { readonly guildId: string; readonly pseudonym: string },
): Promise<boolean> {
  return (await find(db, { ...key })).length > 0;
}

/** Returns the number of guilds in which a charge or a hold counts under the pseudonym. */
export async function countCountedGuilds(db: Queryable, pseudonym: string): Promise<number> {
  const { guilds } = await db
    .selectFrom('holds')
    .select((eb) => eb.fn.count<number>('guild_id').distinct().as('guilds'))
    .where('user_id', '=', pseudonym)
    .where((eb) => eb.or([eb('charged_micros', '>', ZERO), eb('state', 'in', ['pending', 'review'])]))
    .executeTakeFirstOrThrow();
  return guilds;
}

/** Records that a member's earlier spending counts under their pseudonym. */
export async function putGoneMember(trx: Trx, member: GoneMemberRow): Promise<void> {
  const { due_at_ms } = member;
  await trx
    .insertInto('gone_members')
    .values(member)
    .onConflict((conflict) => conflict.columns(['guild_id', 'pseudonym']).doUpdateSet({ due_at_ms }))
    .execute();
}

/** Returns gone members whose windows may have ended by now, at most `limit`. */
export async function listDueGoneMembers(
  db: Queryable,
  options: { readonly nowMs: number; readonly limit: number },
): Promise<GoneMemberRow[]> {
  return db
    .selectFrom('gone_members')
    .selectAll()
    .where('due_at_ms', '<=', options.nowMs)
    .orderBy('due_at_ms')
    .limit(options.limit)
    .execute();
}

/** Returns the gone members of a guild, at most `limit`. */
export async function listGoneMembers(db: Queryable, guildId: string, limit: number): Promise<GoneMember[]> {
  return db
    .selectFrom('gone_members')
    .select(['guild_id', 'pseudonym'])
    .where('guild_id', '=', guildId)
    .limit(limit)
    .execute();
}

/** Whether the member's spending still counts against a limit whose window never ends. */
export async function hasLastingCap(db: Queryable, { guild_id, pseudonym }: GoneMember): Promise<boolean> {
  const found = await db
    .selectFrom('caps')
    .select('period')
    .where('guild_id', '=', guild_id)
    .where('period', '=', 'total')
    .where((eb) =>
      eb.or([
        eb('target_kind', '=', 'role'),
        eb.and([eb('target_kind', '=', 'member'), eb('target_id', '=', pseudonym)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Replaces the pseudonym with a random one in all rows that no longer count against a limit. */
export async function anonymiseEndedUse(
  trx: Trx,
  { guild_id: guildId, pseudonym }: GoneMember,
  options: {
    readonly nameless: string;
    readonly jobsBeforeMs: number;
    readonly heldBeforeMs: number;
    readonly watchedBeforeMs: number;
  },
): Promise<void> {
  const { nameless: user_id, jobsBeforeMs, heldBeforeMs, watchedBeforeMs } = options;
  await trx
    .deleteFrom('overrun_watches')
    .where('guild_id', '=', guildId)
    .where('user_id', '=', pseudonym)
    .where('made_at_ms', '<', watchedBeforeMs)
    .execute();
  await trx
    .updateTable('jobs')
    .set({ user_id })
    .where('guild_id', '=', guildId)
    .where('user_id', '=', pseudonym)
    .where('accepted_at_ms', '<', jobsBeforeMs)
    .where(sql<boolean>`stage in ('settled', 'abandoned')`)
    .where(isUnwatched('jobs.id'))
    .execute();
  await trx
    .updateTable('sessions')
    .set({ user_id })
    .where('guild_id', '=', guildId)
    .where('user_id', '=', pseudonym)
    .where('opened_at_ms', '<', heldBeforeMs)
    .where(isUnwatched('sessions.id'))
    .execute();
  await trx
    .updateTable('holds')
    .set({ user_id })
    .where('guild_id', '=', guildId)
    .where('user_id', '=', pseudonym)
    .where('slot_ms', '<', heldBeforeMs)
    .where(isUnwatched('holds.subject'))
    .execute();
  for (const userId of [pseudonym, user_id]) {
    await sumUpSpending(trx, { guildId, userId });
    await trx.deleteFrom('meters').where('guild_id', '=', guildId).where('user_id', '=', userId).execute();
  }
}

/**
 * Excludes charges that wait for a review and so keep the pseudonym. Their job and hold must keep it, too: otherwise
 * the subject that all three share would link the pseudonym to its replacement.
 */
function isUnwatched(subject: 'jobs.id' | 'sessions.id' | 'holds.subject'): RawBuilder<boolean> {
  return sql<boolean>`not exists (select 1 from overrun_watches as watch where watch.subject = ${sql.ref(subject)})`;
}

/** Whether anything except the cap history is stored under the pseudonym. */
export async function hasActiveLimits(trx: Trx, { guild_id, pseudonym }: GoneMember): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    select 1 as found from jobs where guild_id = ${guild_id} and user_id = ${pseudonym}
    union all select 1 from sessions where guild_id = ${guild_id} and user_id = ${pseudonym}
    union all select 1 from holds where guild_id = ${guild_id} and user_id = ${pseudonym}
    union all select 1 from overrun_watches where guild_id = ${guild_id} and user_id = ${pseudonym}
    union all select 1 from caps
      where guild_id = ${guild_id} and target_kind = 'member' and target_id = ${pseudonym}
    limit 1`.execute(trx);
  return rows.length > 0;
}

/**
 * Deletes the gone member, and removes the pseudonym from the cap history, because nothing counts under it any longer.
 */
export async function deleteGoneMember(
  trx: Trx,
  { guild_id, pseudonym }: GoneMember,
  nameless: string,
): Promise<void> {
  await trx
    .updateTable('cap_changes')
    .set({ target_id: nameless })
    .where('guild_id', '=', guild_id)
    .where(sql<boolean>`target_kind = 'member'`)
    .where('target_id', '=', pseudonym)
    .execute();
  await trx
    .deleteFrom('gone_members')
    .where('guild_id', '=', guild_id)
    .where('pseudonym', '=', pseudonym)
    .execute();
}
