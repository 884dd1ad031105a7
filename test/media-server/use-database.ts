import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { onTestFinished } from 'vitest';

/** A second connection to a server's database, like that of an operator with an SQLite shell. */
export class DatabaseView {
  readonly #sqlite: Sqlite.Database;

  constructor(dataDir: string) {
    this.#sqlite = new Sqlite(join(dataDir, 'media-server.db'), { timeout: 5_000 });
  }

  all<Row>(sql: string, ...values: unknown[]): Row[] {
    return this.#sqlite.prepare(sql).all(...values) as Row[];
  }

  count(table: string): number {
    return this.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n ?? -1;
  }

  exec(sql: string): void {
    this.#sqlite.exec(sql);
  }

  /** Recomputes the amounts, in micro-dollars, from the `entries` table alone. */
  recomputed(accountId?: string): { balance: number; spent: number; held: number; toppedUp: number } {
    const rows = this.all<{ kind: string; total: number }>(
      'SELECT kind, sum(amount) AS total FROM entries WHERE ? IS NULL OR accountId = ? GROUP BY kind',
      accountId ?? null,
      accountId ?? null,
    );
    const sum = (kind: string): number => rows.find((row) => row.kind === kind)?.total ?? 0;
    const held = sum('hold') - sum('release');
    const spent = sum('charge');
    const toppedUp = sum('top_up');
    return { balance: toppedUp - spent - held, spent, held, toppedUp };
  }

  close(): void {
    this.#sqlite.close();
  }
}

export function useDatabase(dataDir: string): DatabaseView {
  const view = new DatabaseView(dataDir);
  onTestFinished(() => view.close());
  return view;
}
