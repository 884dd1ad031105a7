import BetterSqlite, { type Database as Sqlite } from 'better-sqlite3';
import { Kysely } from 'kysely';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Schema, Trx } from '../../db/schema.ts';
import { SqliteDialect } from '../../db/sqlite/sqlite-dialect.ts';
import { useSqlite } from './use-database.ts';
import { useFolder } from '../helpers/use-folder.ts';

/** Runs work on a migrated file and returns SQLite's query plan of each statement. */
export class QueryPlans {
  readonly kysely: Kysely<Schema>;
  readonly #sqlite: Sqlite;
  readonly #statements: string[] = [];

  constructor(path: string) {
    this.#sqlite = new BetterSqlite(path, { verbose: (text) => void this.#statements.push(String(text)) });
    this.kysely = new Kysely<Schema>({ dialect: new SqliteDialect(this.#sqlite, 1000) });
  }

  /** Runs `work` in a transaction. Returns its statements, each followed by the steps of its query plan. */
  async of(work: (trx: Trx) => Promise<unknown>): Promise<string[]> {
    this.#statements.length = 0;
    await this.kysely.transaction().execute(work);
    return this.#statements.filter(isOfWork).flatMap((sql) => {
      const plan = this.#sqlite.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`);
      return [sql, ...plan.all().map((step) => `  ${step.detail}`)];
    });
  }
}

/** Returns false for the transaction's own statements, and for those of triggers, which SQLite reports as comments. */
function isOfWork(statement: string): boolean {
  return !/^(begin|commit|--)/i.test(statement);
}

export async function useQueryPlans(): Promise<QueryPlans> {
  const path = join(await useFolder(), 'plans.db');
  await useSqlite(path);
  const plans = new QueryPlans(path);
  onTestFinished(() => plans.kysely.destroy());
  return plans;
}

/** Returns the steps that read a whole table or index, or sort. */
export function slowSteps(plan: readonly string[]): string[] {
  return plan.filter(
    (step) => /^ {2}(SCAN|USE TEMP B-TREE)/.test(step) && !/^ {2}SCAN (\(|CONSTANT|\d)/.test(step),
  );
}
