import type { Queryable, Trx } from '../schema.ts';
import type { CapChangeRow } from '../schema/caps.ts';

/** Records who changed which cap. */
export async function insertCapChange(trx: Trx, change: Omit<CapChangeRow, 'id'>): Promise<void> {
  await trx.insertInto('cap_changes').values(change).execute();
}

/** Returns the cap changes in a guild, newest first. */
export async function listCapChanges(
  db: Queryable,
  guildId: string,
  page: { readonly offset: number; readonly limit: number },
): Promise<CapChangeRow[]> {
  return db
    .selectFrom('cap_changes')
    .selectAll()
    .where('guild_id', '=', guildId)
    .orderBy('id', 'desc')
    .offset(page.offset)
    .limit(page.limit)
    .execute();
}
