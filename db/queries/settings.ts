import { isPostgres } from '../dialect.ts';
import type { Queryable, Trx } from '../schema.ts';

/** The stored text of a setting. */
export async function getSetting(db: Queryable, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

/** The stored text of a setting, which stays as it is until the transaction ends. */
export async function lockSetting(trx: Trx, name: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom('settings')
    .select('value')
    .where('name', '=', name)
    .$if(isPostgres(trx), (query) => query.forUpdate())
    .executeTakeFirst();
  return row?.value;
}

export async function putSetting(db: Queryable, name: string, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Forgets a setting, if it is there. */
export async function deleteSetting(db: Queryable, name: string): Promise<void> {
  await db.deleteFrom('settings').where('name', '=', name).execute();
}

/** Stores `value` unless there is one already, and returns the one that is stored then. */
export async function initializeSetting(db: Queryable, name: string, value: string): Promise<string> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await getSetting(db, name)) ?? value;
}
