import { prepared } from '../prepared.ts';
import type { Queryable } from '../schema.ts';

const find = prepared((db, key: { readonly guildId: string; readonly pseudonym: string }) =>
  db
    .selectFrom('gone_members')
    .select('pseudonym')
    .where('guild_id', '=', key.guildId)
    .where('pseudonym', '=', key.pseudonym),
);

/** Whether something that a member used still counts in a guild under their pseudonym. */
export async function isGone(
  db: Queryable,
  key: { readonly guildId: string; readonly pseudonym: string },
): Promise<boolean> {
  return (await find(db, { ...key })).length > 0;
}
