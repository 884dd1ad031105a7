import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite, { type Database as Sqlite } from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../db/database.ts';
import { getSetting, putSetting } from '../../db/queries/settings.ts';
import { useFolder } from '../helpers/use-folder.ts';
import { useSqlite } from './use-database.ts';

const MANY = 50;

interface Bench {
  readonly path: string;
  readonly database: Database;
  /** A separate connection, which sees only committed data, as another process would. */
  readonly outside: Sqlite;
}

async function useBench(): Promise<Bench> {
  const path = join(await useFolder(), 'group.db');
  const database = await useSqlite(path);
  const outside = new BetterSqlite(path, { readonly: true });
  onTestFinished(() => void outside.close());
  return { path, database, outside };
}

function put({ database }: Bench, name: string): Promise<void> {
  return database.transaction('guild:1', (trx) => putSetting(trx, name, 'there'));
}

function isCommitted({ outside }: Bench, name: string): boolean {
  return outside.prepare('SELECT 1 FROM settings WHERE name = ?').get(name) !== undefined;
}

function names(): string[] {
  return Array.from({ length: MANY }, (_, index) => `setting ${index}`);
}

test('each of several waiting transactions is committed when it is reported', async () => {
  const bench = await useBench();
  const told = names().map(async (name) => {
    await put(bench, name);
    return isCommitted(bench, name);
  });
  expect(await Promise.all(told)).toEqual(names().map(() => true));
});

test('waiting transactions write the pages that they share once', async () => {
  const bench = await useBench();
  const writtenBytes = async (work: () => Promise<unknown>): Promise<number> => {
    await sql`pragma wal_checkpoint(truncate)`.execute(bench.database.kysely);
    await work();
    return (await stat(`${bench.path}-wal`)).size;
  };
  const together = await writtenBytes(() =>
    Promise.all(names().map((name) => put(bench, `together ${name}`))),
  );
  const apart = await writtenBytes(async () => {
    for (const name of names()) await put(bench, `apart ${name}`);
  });
  expect(together).toBeLessThan(apart / 5);
});

test('a transaction that fails among others is undone alone', async () => {
  const bench = await useBench();
  const failure = new Error('I changed my mind');
  const outcomes = await Promise.allSettled([
    put(bench, 'before'),
    bench.database.transaction('guild:1', async (trx) => {
      await putSetting(trx, 'failed', 'there');
      throw failure;
    }),
    put(bench, 'after'),
  ]);
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: failure },
    { status: 'fulfilled' },
  ]);
  expect(['before', 'failed', 'after'].map((name) => isCommitted(bench, name))).toEqual([true, false, true]);
});

test('the first transaction fails without the next one', async () => {
  const bench = await useBench();
  const failing = bench.database.transaction('guild:1', async (trx) => {
    await putSetting(trx, 'failed', 'there');
    throw new Error('I changed my mind');
  });
  const outcomes = await Promise.allSettled([failing, put(bench, 'after')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(['failed', 'after'].map((name) => isCommitted(bench, name))).toEqual([false, true]);
});

test('a query between transactions sees committed data, and is not part of a transaction', async () => {
  const bench = await useBench();
  const { kysely } = bench.database;
  const seen = Promise.all([
    put(bench, 'before'),
    getSetting(kysely, 'before').then(() => isCommitted(bench, 'before')),
    putSetting(kysely, 'between', 'there'),
    put(bench, 'after'),
  ]);
  expect((await seen)[1]).toBe(true);
  expect(['between', 'after'].map((name) => isCommitted(bench, name))).toEqual([true, true]);
});

test('if the common commit fails, no transaction is reported as successful', async () => {
  const bench = await useBench();
  const { kysely } = bench.database;
  await sql`create table strict (name text references settings (name) deferrable initially deferred)`.execute(
    kysely,
  );
  const outcomes = await Promise.allSettled([
    put(bench, 'before'),
    bench.database.transaction('guild:1', (trx) => sql`insert into strict values ('nobody')`.execute(trx)),
  ]);
  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' } },
    { status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' } },
  ]);
  expect(isCommitted(bench, 'before')).toBe(false);
  await put(bench, 'later');
  expect(isCommitted(bench, 'later')).toBe(true);
});

test('closing rejects transactions whose commit waits for one that does not end', async () => {
  const path = join(await useFolder(), 'stuck.db');
  const database = await openDatabase({ url: `sqlite:${path}`, lockWaitMs: 50 });
  const outcomes = Promise.allSettled([
    database.transaction('guild:1', (trx) => putSetting(trx, 'before', 'there')),
    database.transaction('guild:1', async (trx) => {
      await putSetting(trx, 'stuck', 'there');
      await expect(database[Symbol.asyncDispose]()).rejects.toMatchObject({ code: 'locked' });
    }),
  ]);
  expect(await outcomes).toMatchObject([
    { status: 'rejected', reason: { name: 'DatabaseError', code: 'unwritable' } },
    { status: 'rejected' },
  ]);
  const again = await useSqlite(path);
  expect(await getSetting(again.kysely, 'before')).toBeUndefined();
});

test('a full disk during one transaction rejects those that wait for the same commit', async () => {
  const bench = await useBench();
  const { kysely } = bench.database;
  const pages = async (text: string): Promise<void> => {
    await sql.raw(`pragma ${text}`).execute(kysely);
  };
  await pages('max_page_count = 1');
  const attempt = async (before: string): Promise<PromiseSettledResult<void>> => {
    const [first, large, last] = await Promise.allSettled([
      put(bench, before),
      bench.database.transaction('guild:1', (trx) => putSetting(trx, 'large', 'x'.repeat(10_000_000))),
      put(bench, `after ${before}`),
    ]);
    expect(large).toMatchObject({ status: 'rejected', reason: { code: 'SQLITE_FULL' } });
    expect(last).toMatchObject({ status: 'fulfilled' });
    expect([before, 'large', `after ${before}`].map((name) => isCommitted(bench, name))).toEqual([
      first.status === 'fulfilled',
      false,
      true,
    ]);
    return first;
  };
  let first = await attempt('before');
  // On a busy machine, the first transaction may be committed before the large one starts.
  for (let n = 2; first.status === 'fulfilled' && n < 100; n++) first = await attempt(`before ${n}`);
  expect(first).toMatchObject({
    status: 'rejected',
    reason: { name: 'DatabaseError', code: 'unwritable' },
  });
});
