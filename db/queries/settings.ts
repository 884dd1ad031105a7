import { isPostgres } from '../dialect.ts';
import type { Queryable, Trx } from '../schema.ts';

/** Returns the stored text of a setting; `undefined` if it does not exist. */
export async function getSetting(db: Queryable, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

/**
 * Does the same as `getSetting`, and also prevents other transactions from changing the setting until this one ends.
 */
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

/** Deletes a setting if it exists. */
export async function deleteSetting(db: Queryable, name: string): Promise<void> {
  await db.deleteFrom('settings').where('name', '=', name).execute();
}

/** Stores `value` unless the setting exists. Returns the stored value. */
export async function initializeSetting(db: Queryable, name: string, value: string): Promise<string> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await getSetting(db, name)) ?? value;
}

/** Returns the stored texts of the given settings by name, leaving out those that do not exist. */
export async function getSettings(
  db: Queryable,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('settings').selectAll().where('name', 'in', names).execute();
  return new Map(rows.map((row) => [row.name, row.value]));
}

/** Returns the setting names that start with `prefix` (letters, digits and dots), at most `limit`. */
export async function listSettingNames(db: Queryable, prefix: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('settings')
    .select('name')
    .where('name', 'like', `${prefix}%`)
    .orderBy('name')
    .limit(limit)
    .execute();
  return rows.map((row) => row.name);
}

/**
 * Stores `to` if the setting is still `from` (`undefined` means that it does not exist). If several callers try, only
 * one succeeds.
 */
export async function replaceSetting(
  db: Queryable,
  name: string,
  change: { readonly from: string | undefined; readonly to: string },
): Promise<boolean> {
  const { from, to: value } = change;
  const stored =
    from === undefined
      ? await db
          .insertInto('settings')
          .values({ name, value })
          .onConflict((conflict) => conflict.column('name').doNothing())
          .returning('name')
          .executeTakeFirst()
      : await db
          .updateTable('settings')
          .set({ value })
          .where('name', '=', name)
          .where('value', '=', from)
          .returning('name')
          .executeTakeFirst();
  return stored !== undefined;
}
