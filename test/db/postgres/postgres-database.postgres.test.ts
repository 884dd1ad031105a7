import { createServer } from 'node:net';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../db/database.ts';
import { getSetting, putSetting } from '../../../db/queries/settings.ts';
import { postgresUrlOf } from '../database-url.ts';
import { useEmptyPostgres } from '../use-postgres.ts';
import { runTogether } from '../use-processes.ts';
import { useTwo } from './use-two.ts';

/** A gate that one side waits for and the other side opens. */
class Gate {
  open: () => void = () => undefined;
  readonly opened: Promise<void> = new Promise((resolve) => {
    this.open = resolve;
  });
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

test('a missing server is reported in one line without the password', async () => {
  const port = await closedPort();
  const opened = openDatabase({ url: `postgres://bot:hunter2@127.0.0.1:${port}/club?application_name=x` });
  await expect(opened).rejects.toMatchObject({
    name: 'DatabaseError',
    code: 'unreachable',
    message: `Cannot reach PostgreSQL at "127.0.0.1:${port}/club": it does not answer, or ended the connection (ECONNREFUSED)`,
  });
});

test('a server that accepts connections but never answers is given up', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const url = `postgres://bot:hunter2@127.0.0.1:${port}/club`;
  await expect(openDatabase({ url, lockWaitMs: 200 })).rejects.toMatchObject({ code: 'unreachable' });
});

test('a database that does not exist on the server is reported as denied', async () => {
  await expect(openDatabase({ url: postgresUrlOf('nowhere') })).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringMatching(/^Cannot use PostgreSQL at "[^"]*\/nowhere": it denies [^\n]* \(3D000\)$/),
  });
});

test.each(['postgres://bot:hunter2@[host/club', 'postgres://bot:hunter2@host:port/club'])(
  'the URL %s is refused without the password',
  async (url) => {
    await expect(openDatabase({ url })).rejects.toMatchObject({
      code: 'unsupported',
      message:
        'Cannot read the database URL: it must look like "postgres://user:password@host:5432/database"',
    });
  },
);

test('whole numbers are JavaScript numbers, and those that would lose digits are refused', async () => {
  const { one } = await useTwo();
  const ask = async (text: string): Promise<unknown> => (await sql.raw(text).execute(one.kysely)).rows[0];
  const query = `select 9007199254740991::bigint as large, sum(n) as total, count(*) as many, '\\x0102'::bytea as bytes
    from generate_series(1::bigint, 4) n`;
  expect(await ask(query)).toEqual({
    large: Number.MAX_SAFE_INTEGER,
    total: 10,
    many: 4,
    bytes: Buffer.from([1, 2]),
  });
  await expect(ask('select 9007199254740993::bigint as large')).rejects.toThrow('too large to be exact');
  expect(await ask('select 1::bigint as one')).toEqual({ one: 1 });
});

test('transactions of one scope run one after another in all processes, and see what was committed before', async () => {
  const { one, other } = await useTwo();
  const add = (database: typeof one): Promise<void> =>
    database.transaction('guild:guild', async (trx) => {
      const count = Number((await getSetting(trx, 'count')) ?? 0);
      await putSetting(trx, 'count', String(count + 1));
    });
  const failing = one.transaction('guild:guild', async (trx) => {
    await putSetting(trx, 'count', '1000');
    throw new Error('changed my mind');
  });
  const all = [...Array.from({ length: 40 }, (_, index) => add(index % 2 ? one : other)), failing];
  expect((await Promise.allSettled(all)).filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(await getSetting(one.kysely, 'count')).toBe('40');
});

test('transactions of several scopes wait for each of them, in any order of names', async () => {
  const { one, other } = await useTwo();
  const gate = new Gate();
  const began = new Gate();
  const first = one.transaction(['member:m', 'guild:g'], async () => {
    began.open();
    await gate.opened;
  });
  await began.opened;
  const ended: string[] = [];
  const waiting = [
    other.transaction('guild:g', async () => void ended.push('guild:g')),
    other.transaction(['guild:other', 'member:m'], async () => void ended.push('member:m')),
  ];
  await other.transaction(['guild:another', 'member:another'], async () => void ended.push('another'));
  expect(ended).toEqual(['another']);
  gate.open();
  await Promise.all([first, ...waiting]);
  expect(ended).toHaveLength(3);
});

test('a wait for a scope is bounded', async () => {
  const { one, other } = await useTwo(300);
  const gate = new Gate();
  const began = new Gate();
  const first = one.transaction('guild:guild', async () => {
    began.open();
    await gate.opened;
  });
  await began.opened;
  await expect(other.transaction('guild:guild', async () => 'begun')).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringContaining('another transaction keeps it locked'),
  });
  gate.open();
  await first;
  expect(await other.transaction('guild:guild', async () => 'begun')).toBe('begun');
});

test('transactions that get into a deadlock are repeated', async () => {
  const { one, other } = await useTwo();
  await putSetting(one.kysely, 'a', '0');
  await putSetting(one.kysely, 'b', '0');
  const met = [new Gate(), new Gate()];
  let runs = 0;
  const add = (database: typeof one, names: readonly string[], index: number): Promise<void> =>
    database.transaction(`guild:${index}`, async (trx) => {
      runs += 1;
      for (const name of names) {
        await sql`update settings set value = (value::int + 1)::text where name = ${name}`.execute(trx);
        met[index]?.open();
        await met[1 - index]?.opened;
      }
    });
  await Promise.all([add(one, ['a', 'b'], 0), add(other, ['b', 'a'], 1)]);
  expect(runs).toBeGreaterThan(2);
  expect([await getSetting(one.kysely, 'a'), await getSetting(one.kysely, 'b')]).toEqual(['2', '2']);
});

test('a connection that ends in mid-transaction is replaced, and its transaction is done once', async () => {
  const { one, endConnections } = await useTwo();
  await putSetting(one.kysely, 'count', '0');
  let runs = 0;
  await one.transaction('guild:guild', async (trx) => {
    runs += 1;
    await sql`update settings set value = (value::int + 1)::text`.execute(trx);
    if (runs <= 2) await endConnections();
    await getSetting(trx, 'count');
  });
  expect(runs).toBe(3);
  expect(await getSetting(one.kysely, 'count')).toBe('1');
});

test('idle connections that end are replaced', async () => {
  const { one, endConnections } = await useTwo();
  await putSetting(one.kysely, 'a', '1');
  expect(await endConnections()).toBeGreaterThan(0);
  await expect.poll(() => getSetting(one.kysely, 'a').catch(() => 'lost')).toBe('1');
});

test('four processes that open the same empty database at the same time all find it migrated once', async () => {
  const url = await useEmptyPostgres(`test_empty_${process.pid}_${Date.now()}`);
  const seen = await runTogether(new URL('../open-process.ts', import.meta.url), 4, [url]);
  await using database = await openDatabase({ url });
  const { length } = await database.kysely.selectFrom('schema_migrations').select('number').execute();
  expect(length).toBeGreaterThanOrEqual(10);
  expect(seen).toEqual([length, length, length, length]);
});

test('a database of a newer program or of another one is refused', async () => {
  const { url, one } = await useTwo();
  const newer = { number: 999, name: 'from-the-future', applied_at_ms: 0 };
  await one.kysely.insertInto('schema_migrations').values(newer).execute();
  await expect(openDatabase({ url })).rejects.toMatchObject({ code: 'too_new' });
  await one.kysely.deleteFrom('schema_migrations').where('number', '=', 999).execute();
  await one.kysely.updateTable('schema_migrations').set({ name: 'another' }).execute();
  await expect(openDatabase({ url })).rejects.toMatchObject({ code: 'corrupt' });
});

test('disposing waits for the running transaction, and may be repeated', async () => {
  const { url, one } = await useTwo();
  const database = await openDatabase({ url });
  const gate = new Gate();
  const began = new Gate();
  const running = database.transaction('guild:guild', async (trx) => {
    began.open();
    await gate.opened;
    await putSetting(trx, 'a', '1');
  });
  await began.opened;
  const disposed = database[Symbol.asyncDispose]();
  gate.open();
  await running;
  await disposed;
  await database[Symbol.asyncDispose]();
  expect(await getSetting(one.kysely, 'a')).toBe('1');
});

test('many transactions of one scope leave connections for others', async () => {
  const { one } = await useTwo();
  const gate = new Gate();
  const first = one.transaction('guild:crowded', () => gate.opened);
  const crowd = Array.from({ length: 50 }, (_, index) => one.transaction('guild:crowded', async () => index));

  expect(await one.transaction('guild:quiet', async () => 'done')).toBe('done');
  gate.open();

  await first;
  expect(await Promise.all(crowd)).toEqual(Array.from({ length: 50 }, (_, index) => index));
});
