import { join } from 'node:path';
import BetterSqlite, { type Database as Sqlite } from 'better-sqlite3';
import { sql } from 'kysely';
import { type Database, openDatabase } from '../../../db/database.ts';
import type { Trx } from '../../../db/schema.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { micros } from '../../../src/base/money.ts';
import { Ledger } from '../../../src/bot/money/ledger/ledger.ts';
import { quantile } from '../quantile.ts';

const ROUNDS = 5;
const PAIRS = 500;

/**
 * The ways in which bookings arrive: sequentially, concurrently (each in its own transaction), or many in one
 * transaction.
 */
const WAYS = [
  { name: 'one after the other', inFlight: 1, batch: 1 },
  { name: '100 at once', inFlight: 100, batch: 1 },
  { name: '100 in one transaction', inFlight: 1, batch: 100 },
] as const;
type Way = (typeof WAYS)[number];

/** The mode in which the program opens the database, and the mode to which the goal applies. */
const SYNCHRONOUS = ['FULL', 'NORMAL'] as const;

/**
 * Measures holds and charges per second. The baseline makes two bare inserts for each of them, in the same number of
 * transactions.
 */
export async function benchBookings(folder: string): Promise<object[]> {
  const rows: object[] = [];
  for (const synchronous of SYNCHRONOUS) {
    const path = join(folder, `${synchronous}.db`);
    await using database = await openDatabase({ url: `sqlite:${path}` });
    await sql.raw(`pragma synchronous = ${synchronous}`).execute(database.kysely);
    const bare = new BareInserts(join(folder, `${synchronous}-bare.db`), synchronous);
    for (const way of WAYS) rows.push(await compare(database, bare, way));
    bare.close();
  }
  return rows;
}

/** Measures both sides in alternating rounds, so that other load on the machine affects both. */
async function compare(database: Database, bare: BareInserts, way: Way): Promise<object> {
  const books = new Books(database);
  const ours: number[] = [];
  const bares: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const oursMs = await timed(() => books.pairs(PAIRS, way));
    const bareMs = await timed(async () => bare.transactions(2 * PAIRS, way.batch));
    // The first round warms up the compiler.
    if (round === 0) continue;
    ours.push(oursMs);
    bares.push(bareMs);
  }
  const perSecond = (msOfRound: number): number => (PAIRS * 1000) / msOfRound;
  const [oursMs, bareMs] = [quantile(ours, 0.5), quantile(bares, 0.5)];
  return {
    'journal mode': await pragma(database, 'journal_mode'),
    synchronous: (await pragma(database, 'synchronous')) === 2 ? 'FULL' : 'NORMAL',
    bookings: way.name,
    'transactions of each side': (2 * PAIRS * ROUNDS) / way.batch,
    'hold+post per second': perSecond(oursMs),
    'best round': perSecond(Math.min(...ours)),
    'bare pairs of two inserts/s': perSecond(bareMs),
    'ratio to bare': bareMs / oursMs,
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = systemClock.monotonic();
  await work();
  return systemClock.monotonic() - startedMs;
}

async function pragma({ kysely }: Database, name: string): Promise<unknown> {
  const { rows } = await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(kysely);
  return rows[0]?.[name];
}

class Books {
  readonly #database: Database;
  readonly #ledger: Ledger;
  #count = 0;

  constructor(database: Database) {
    this.#database = database;
    const defaultBudget = { limit: micros(1e15), period: 'month', timeZone: 'UTC' } as const;
    this.#ledger = new Ledger({ clock: systemClock, defaultBudget });
  }

  /** Makes this many holds, and charges each of them afterwards. */
  async pairs(count: number, { inFlight, batch }: Way): Promise<void> {
    const rounds = count / (inFlight * batch);
    const work = Array.from({ length: inFlight }, async () => {
      for (let round = 0; round < rounds; round++) await this.#pairsOfBatch(batch);
    });
    await Promise.all(work);
  }

  async #pairsOfBatch(batch: number): Promise<void> {
    const subjects = Array.from(
      { length: batch },
      () => `job_${process.pid}_${performance.now()}_${this.#count++}`,
    );
    await this.#each(subjects, (trx, subject) => this.#hold(trx, subject));
    await this.#each(subjects, (trx, subject) =>
      this.#ledger.post(trx, { subject, charged: micros(40_000) }),
    );
  }

  async #each(
    subjects: readonly string[],
    work: (trx: Trx, subject: string) => Promise<unknown>,
  ): Promise<void> {
    await this.#database.transaction('guild:1', async (trx) => {
      for (const subject of subjects) await work(trx, subject);
    });
  }

  async #hold(trx: Trx, subject: string): Promise<void> {
    const who = { guildId: '1', userId: String(this.#count % 50), roleIds: [] };
    const what = { subject, capability: 'photo_swap', amount: micros(50_000), rateCard: '{}' };
    const { held } = await this.#ledger.hold(trx, { ...who, ...what });
    if (!held) throw new Error('The budget of the benchmark is too small');
  }
}

/** The baseline, which is the minimum that any ledger would have to write: a row for a hold and a row for an entry. */
class BareInserts {
  readonly #sqlite: Sqlite;
  readonly #insert: (count: number) => void;

  constructor(path: string, synchronous: string) {
    const sqlite = new BetterSqlite(path);
    for (const text of ['journal_mode = WAL', `synchronous = ${synchronous}`]) sqlite.pragma(text);
    sqlite.exec(
      'CREATE TABLE holds (id INTEGER PRIMARY KEY, subject TEXT NOT NULL UNIQUE, amount INTEGER NOT NULL)',
    );
    sqlite.exec(
      'CREATE TABLE entries (id INTEGER PRIMARY KEY, subject TEXT NOT NULL, amount INTEGER NOT NULL)',
    );
    const hold = sqlite.prepare('INSERT INTO holds (subject, amount) VALUES (?, ?)');
    const entry = sqlite.prepare('INSERT INTO entries (subject, amount) VALUES (?, ?)');
    let subject = 0;
    this.#sqlite = sqlite;
    const insert = sqlite.transaction((count: number) => {
      for (let index = 0; index < count; index++) {
        const name = `job_${subject++}`;
        hold.run(name, 50_000);
        entry.run(name, 50_000);
      }
    });
    this.#insert = (count) => insert.immediate(count);
  }

  /** Inserts two rows `count` times, with `batch` pairs of rows per transaction. */
  transactions(count: number, batch: number): void {
    for (let done = 0; done < count; done += batch) this.#insert(batch);
  }

  close(): void {
    this.#sqlite.close();
  }
}
