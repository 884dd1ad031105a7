import { type Kysely, sql } from 'kysely';
import { DatabaseError } from './database-error.ts';
import type { Migration } from './migration.ts';
import type { Schema } from './schema.ts';

interface MigrateOptions {
  /** The name of the database in errors. */
  readonly name: string;
  readonly nowMs: number;
  /** All migrations, in order. */
  readonly migrations: readonly Migration[];
  /** Statements that run first in the transaction: they wait for other processes and create the migrations table. */
  readonly prepare: readonly string[];
}

/**
 * Applies the missing migrations in one transaction and returns their names. If several processes try at the same time,
 * one applies them and the others find them applied. Throws `DatabaseError` for a database newer than this program.
 */
export async function migrate(kysely: Kysely<Schema>, options: MigrateOptions): Promise<string[]> {
  const { nowMs } = options;
  return kysely.transaction().execute(async (trx) => {
    for (const statement of options.prepare) await sql.raw(statement).execute(trx);
    const applied = await trx.selectFrom('schema_migrations').selectAll().orderBy('number').execute();
    const missing = missingAfter(applied, options);
    for (const { number, name, statements } of missing) {
      for (const statement of statements) await sql.raw(statement).execute(trx);
      await trx.insertInto('schema_migrations').values({ number, name, applied_at_ms: nowMs }).execute();
    }
    return missing.map((migration) => migration.name);
  });
}

function missingAfter(
  applied: readonly { readonly number: number; readonly name: string }[],
  { name: database, migrations }: MigrateOptions,
): readonly Migration[] {
  const last = applied.at(-1)?.number ?? 0;
  if (last > migrations.length) {
    throw new DatabaseError(
      'too_new',
      `Cannot open database "${database}": its schema is version ${last}, this program supports ${migrations.length}; run a newer version`,
    );
  }
  const foreign = applied.find(({ number, name }) => migrations[number - 1]?.name !== name);
  if (foreign) {
    throw new DatabaseError(
      'corrupt',
      `Cannot open database "${database}": its schema belongs to another program`,
    );
  }
  return migrations.slice(applied.length);
}
