import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../db/database.ts';
import { getSetting, initializeSetting, putSetting } from '../../db/queries/settings.ts';
import { useDatabase, useSqlite } from './use-database.ts';
import { runTogether } from './use-processes.ts';
import { useFolder } from '../helpers/use-folder.ts';

/** A gate that one side waits for and the other side opens. */
class Gate {
  open: () => void = () => undefined;
  readonly opened: Promise<void> = new Promise((resolve) => {
    this.open = resolve;
  });
}

test('a database is created with its folders, for its owner only, and keeps its data', async () => {
  const path = join(await useFolder(), 'deep', 'er', 'masquerade.db');
  {
    await using database = await openDatabase({ url: `sqlite:${path}` });
    await putSetting(database.kysely, 'colour', 'blue');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(`${path}-wal`)).mode & 0o777).toBe(0o600);
  }
  const database = await useSqlite(path);
  expect(await getSetting(database.kysely, 'colour')).toBe('blue');
  expect(await initializeSetting(database.kysely, 'colour', 'red')).toBe('blue');
  expect(await initializeSetting(database.kysely, 'shape', 'round')).toBe('round');
});

test('a database in memory needs no file', async () => {
  await using database = await openDatabase({ url: 'sqlite::memory:' });
  await putSetting(database.kysely, 'colour', 'blue');
  expect(await getSetting(database.kysely, 'colour')).toBe('blue');
});

test('every commit is on the disk before it is reported', async () => {
  const { kysely } = await useDatabase();
  const pragma = async (name: string): Promise<unknown> => {
    const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(kysely);
    return Object.values(rows[0] ?? {})[0];
  };
  expect(await pragma('journal_mode')).toBe('wal');
  expect(await pragma('synchronous')).toBe(2);
  expect(await pragma('foreign_keys')).toBe(1);
});

test.each(['mysql://user:hunter2@host/db', 'sqlite:', 'sqlite:///etc/m.db', 'masquerade.db', 'postgres://'])(
  'the URL %s is refused in one line',
  async (url) => {
    await expect(openDatabase({ url })).rejects.toMatchObject({
      code: 'unsupported',
      message:
        'Cannot read the database URL: it must be "sqlite:<path>" or "postgres://user:password@host/database"',
    });
  },
);

test('the error for a place that cannot be written names it', async () => {
  const directory = await useFolder();
  await writeFile(join(directory, 'file'), '');
  await mkdir(join(directory, 'folder'));
  for (const path of [join(directory, 'file', 'a.db'), join(directory, 'folder')]) {
    await expect(openDatabase({ url: `sqlite:${path}` })).rejects.toMatchObject({
      name: 'DatabaseError',
      code: 'unwritable',
      message: expect.stringMatching(
        new RegExp(`^Cannot open database "${path}": it cannot be written [^\\n]*$`),
      ),
    });
  }
});

test('a file that is not a database is refused and stays unchanged', async () => {
  const path = join(await useFolder(), 'notes.txt');
  const text = 'These are my notes, and they are longer than a header. '.repeat(20);
  await writeFile(path, text);
  await expect(openDatabase({ url: `sqlite:${path}` })).rejects.toMatchObject({
    code: 'corrupt',
    message: `Cannot open database "${path}": it is not an intact SQLite file`,
  });
  expect(await readFile(path, 'utf8')).toBe(text);
});

test('a database of a newer program or of another one is refused', async () => {
  const path = join(await useFolder(), 'newer.db');
  const database = await useSqlite(path);
  const newer = { number: 999, name: 'from-the-future', applied_at_ms: 0 };
  await database.kysely.insertInto('schema_migrations').values(newer).execute();
  await expect(openDatabase({ url: `sqlite:${path}` })).rejects.toMatchObject({
    code: 'too_new',
    message: expect.stringContaining(`"${path}": its schema is version 999`),
  });
  await database.kysely.deleteFrom('schema_migrations').where('number', '=', 999).execute();
  await database.kysely.updateTable('schema_migrations').set({ name: 'another' }).execute();
  await expect(openDatabase({ url: `sqlite:${path}` })).rejects.toMatchObject({ code: 'corrupt' });
});

test('a lock of another connection is waited for, then reported', async () => {
  const path = join(await useFolder(), 'locked.db');
  await using database = await openDatabase({ url: `sqlite:${path}`, lockWaitMs: 60 });
  const other = new BetterSqlite(path);
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  const message = `Cannot use database "${path}": another process keeps it locked`;
  await expect(putSetting(database.kysely, 'a', '1')).rejects.toMatchObject({ code: 'locked', message });
  const begin = database.transaction('guild:guild', async () => 'begun');
  await expect(begin).rejects.toMatchObject({ code: 'locked', message });
  await expect(openDatabase({ url: `sqlite:${path}`, lockWaitMs: 60 })).rejects.toMatchObject({
    code: 'locked',
  });
  other.exec('ROLLBACK');
  await putSetting(database.kysely, 'a', '2');
  expect(await getSetting(database.kysely, 'a')).toBe('2');
});

test('waiting for a lock does not block the event loop, and ends once the lock is released', async () => {
  const path = join(await useFolder(), 'locked.db');
  const database = await useSqlite(path);
  const other = new BetterSqlite(path);
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  const written = putSetting(database.kysely, 'a', '1');
  // If the waiting write blocked the event loop, the test could not get past this line to release the lock.
  await new Promise((resolve) => setImmediate(resolve));
  other.exec('COMMIT');
  await written;
  expect(await getSetting(database.kysely, 'a')).toBe('1');
});

test('transactions of one process run one after the other, and a failed one leaves nothing', async () => {
  const database = await useDatabase();
  const add = async (): Promise<void> =>
    database.transaction('guild:guild', async (trx) => {
      const count = Number((await getSetting(trx, 'count')) ?? 0);
      await new Promise((resolve) => setImmediate(resolve));
      await putSetting(trx, 'count', String(count + 1));
    });
  const failing = database.transaction('guild:guild', async (trx) => {
    await putSetting(trx, 'count', '1000');
    throw new Error('changed my mind');
  });
  const results = await Promise.allSettled([add(), failing, add(), add()]);
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(await getSetting(database.kysely, 'count')).toBe('3');
});

test.each(['at once', 'one after the other'])(
  'many queries %s leave turns of the event loop to others',
  async (how) => {
    const database = await useDatabase();
    let done = 0;
    let doneAtTurn = Number.POSITIVE_INFINITY;
    const query = async (): Promise<void> => {
      await getSetting(database.kysely, 'a');
      done++;
    };
    setImmediate(() => {
      doneAtTurn = done;
    });
    if (how === 'at once') await Promise.all(Array.from({ length: 3000 }, query));
    else for (let index = 0; index < 3000; index++) await query();
    expect(doneAtTurn).toBeLessThan(3000);
  },
);

test('a query outside its own transaction fails as locked and does not wait forever', async () => {
  await using database = await openDatabase({ url: 'sqlite::memory:', lockWaitMs: 20 });
  const mistaken = database.transaction('guild:guild', async () => putSetting(database.kysely, 'a', '1'));
  await expect(mistaken).rejects.toMatchObject({
    code: 'locked',
    message: 'Cannot use database ":memory:": a transaction of this process ran for over 20 ms',
  });
  await putSetting(database.kysely, 'a', '2');
});

test('disposing waits for the running transaction, and may be repeated', async () => {
  const path = join(await useFolder(), 'closing.db');
  const database = await openDatabase({ url: `sqlite:${path}` });
  const gate = new Gate();
  const running = database.transaction('guild:guild', async (trx) => {
    await gate.opened;
    await putSetting(trx, 'a', '1');
  });
  const disposed = database[Symbol.asyncDispose]();
  gate.open();
  await running;
  await disposed;
  await database[Symbol.asyncDispose]();
  expect(await getSetting((await useSqlite(path)).kysely, 'a')).toBe('1');
});

test('disposing gives up on a transaction that never ends, and still closes the file', async () => {
  const path = join(await useFolder(), 'stuck.db');
  const database = await openDatabase({ url: `sqlite:${path}`, lockWaitMs: 20 });
  const gate = new Gate();
  const stuck = database.transaction('guild:guild', async (trx) => {
    await putSetting(trx, 'a', '1');
    await gate.opened;
    await putSetting(trx, 'a', '2');
  });
  await expect(database[Symbol.asyncDispose]()).rejects.toMatchObject({ code: 'locked' });
  gate.open();
  await expect(stuck).rejects.toThrow('not open');
  expect(await getSetting((await useSqlite(path)).kysely, 'a')).toBeUndefined();
});

test('four processes that open the same new file at the same time all find it migrated once', async () => {
  const path = join(await useFolder(), 'new.db');
  const script = new URL('open-process.ts', import.meta.url);
  const seen = await runTogether(script, 4, [`sqlite:${path}`]);
  const { kysely } = await useSqlite(path);
  const { length } = await kysely.selectFrom('schema_migrations').select('number').execute();
  expect(seen).toEqual([length, length, length, length]);
});
