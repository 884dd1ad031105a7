import { sql } from 'kysely';
import { type MicroUsd, micros } from '../../src/base/money.ts';
import type { Queryable } from '../schema.ts';

/** The spending and the holds of a guild since a given time. */
export interface GuildSums {
  readonly guildId: string;
  readonly posted: MicroUsd;
  readonly pending: MicroUsd;
}

/**
 * Returns the sums since `sinceMs` for each guild that has rows in `spending`, largest first, at most `limit`.
 * `sinceMs` must be the start of a slot. The query steps from guild to guild by the key of `spending`, so that it reads
 * only rows since `sinceMs`.
 */
export async function sumByGuild(
  db: Queryable,
  options: { readonly sinceMs: number; readonly limit: number },
): Promise<GuildSums[]> {
  const { rows } = await sql<{ guild_id: string; posted: number; pending: number }>`
    with recursive guilds (guild_id) as (
      select min(guild_id) from spending
      union all
      select (select min(spending.guild_id) from spending where spending.guild_id > guilds.guild_id)
      from guilds where guilds.guild_id is not null
    )
    select guilds.guild_id, cast(coalesce(sum(posted_micros), 0) as bigint) as posted, cast(coalesce(sum(pending_micros), 0) as bigint) as pending
    from guilds left join spending
      on spending.guild_id = guilds.guild_id and spending.slot_ms >= ${options.sinceMs}
    where guilds.guild_id is not null
    group by guilds.guild_id
    order by posted desc, pending desc, guilds.guild_id
    limit ${options.limit}`.execute(db);
  return rows.map((row) => ({
    guildId: row.guild_id,
    posted: micros(row.posted),
    pending: micros(row.pending),
  }));
}
