import { type Kysely, sql } from 'kysely';
import { DatabaseError } from './database-error.ts';
import type { Migration } from './migration.ts';
import { MIGRATIONS } from './migrations.ts';
import type { Schema } from './schema.ts';

const CREATE_TABLE =
  'CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT';

/**
 * Applies the missing migrations in one transaction and returns their names; of several processes that try
 * at once one does and the others find it done. Throws `DatabaseError` for a database newer than this program.
 */
export async function migrate(kysely: Kysely<Schema>, path: string, nowMs: number): Promise<string[]> {
  return kysely.transaction().execute(async (trx) => {
    await sql.raw(CREATE_TABLE).execute(trx);
    const applied = await trx.selectFrom('schema_migrations').selectAll().orderBy('number').execute();
    const missing = missingAfter(applied, path);
    for (const { number, name, statements } of missing) {
      for (const statement of statements) await sql.raw(statement).execute(trx);
      await trx.insertInto('schema_migrations').values({ number, name, applied_at_ms: nowMs }).execute();
    }
    return missing.map((migration) => migration.name);
  });
}

function missingAfter(
  applied: readonly { readonly number: number; readonly name: string }[],
  path: string,
): readonly Migration[] {
  const last = applied.at(-1)?.number ?? 0;
  if (last > MIGRATIONS.length) {
    throw new DatabaseError(
      'too_new',
      `Cannot open database "${path}": its schema is version ${last}, this program knows ${MIGRATIONS.length}; run a newer one`,
    );
  }
  const foreign = applied.find(({ number, name }) => MIGRATIONS[number - 1]?.name !== name);
  if (foreign) {
    throw new DatabaseError('corrupt', `Cannot open database "${path}": its schema is another program's`);
  }
  return MIGRATIONS.slice(applied.length);
}
