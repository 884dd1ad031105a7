import { expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import { loadState, saveState } from '../../../../src/bot/money/reconciliation/reconciliation-state.ts';
import { useAccount } from './use-account.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const CENT = 10_000;

/**
 * The foreign use in cents at each comparison, and whether it is reported. It is reported whenever it has increased by
 * more than a dollar.
 */
test.each<readonly [readonly (readonly [number, boolean])[]]>([
  [
    [
      [100, false],
      [100.0001, true],
    ],
  ],
  [
    [
      [150, true],
      [250, false],
      [250.0001, true],
    ],
  ],
  // Foreign use that disappears is reported again when it returns.
  [
    [
      [150, true],
      [0, false],
      [150, true],
    ],
  ],
  [
    [
      [150, true],
      [100, false],
      [200, false],
      [200.0001, true],
    ],
  ],
  [
    [
      [150, true],
      [100, false],
      [150, false],
      [200.0001, true],
    ],
  ],
  [
    [
      [50, false],
      [120, true],
      [220, false],
      [221, true],
    ],
  ],
])('use by others of %j cents in turn is reported, or not', async ([...levels]) => {
  const bench = await useAccount();
  const told: boolean[] = [];
  for (const [cents] of levels) {
    bench.earlierCents = cents;
    const before = bench.drifts.length;
    await bench.compare();
    told.push(bench.drifts.length > before);
    if (told.at(-1)) expect(bench.drifts.at(-1)?.drift).toBe(Math.round(cents * CENT));
  }
  expect(told).toEqual(levels.map(([, isTold]) => isTold));
});

test('missing money at the service counts as use by others, too', async () => {
  const bench = await useAccount();
  await bench.job('dear', { cents: 150 });
  await bench.compare();
  bench.earlierCents = -101;
  expect(await bench.compare()).toMatchObject({ drift: -101 * CENT });
  expect(bench.drifts).toHaveLength(1);
});

test('a note that could not be sent is sent by the next comparison', async () => {
  const bench = await useAccount();
  bench.earlierCents = 150;
  await bench.job('odd', { status: 'failed', cents: 6 });
  await bench.clock.advance(MINUTE_MS);
  const told: string[] = [];
  let isDeaf = true;
  const hear = async (what: string): Promise<void> => {
    if (isDeaf) throw new Error('The chat is away');
    told.push(what);
  };
  const notes = {
    otherUse: () => hear('other use'),
    chargedFailure: () => hear('failure'),
    quiet: () => hear('quiet'),
  };
  const reconciliation = bench.reconciliation({ notes });
  expect(await reconciliation.run()).toBeUndefined();
  isDeaf = false;
  await reconciliation.run();
  await reconciliation.run();
  expect(told).toEqual(['other use', 'failure']);
});

test('after a whole day without news the end is reported once, until there is news again', async () => {
  const bench = await useAccount();
  bench.earlierCents = 150;
  await bench.compare();
  await bench.clock.advance(DAY_MS);
  await bench.compare();
  expect(bench.quiets).toBe(0);
  await bench.clock.advance(1);
  await bench.compare();
  await bench.clock.advance(2 * DAY_MS);
  await bench.compare();
  expect(bench.quiets).toBe(1);
  await bench.job('odd', { status: 'failed', cents: 6 });
  await bench.clock.advance(MINUTE_MS);
  await bench.compare();
  await bench.clock.advance(DAY_MS + 1);
  await bench.compare();
  expect([bench.failures.length, bench.quiets, bench.drifts.length]).toEqual([1, 2, 1]);
});

test('a charged failure is reported once, a minute after its job was settled, fifty at a time', async () => {
  const bench = await useAccount();
  const settledAtMs = bench.clock.now();
  for (let index = 0; index < 52; index++) {
    const row = { settled_at_ms: settledAtMs + index };
    await bench.job(`odd_${index}`, { status: 'failed', cents: 1 + index, row });
  }
  // None of these jobs is a charged failure.
  const row = { settled_at_ms: settledAtMs };
  await bench.job('free', { status: 'failed', cents: 0, row });
  await bench.job('fine', { cents: 6, row });
  await bench.job('left', { status: 'failed', cents: 6, row: { ...row, stage: 'abandoned' } });
  const told = async (atMs: number): Promise<readonly string[]> => {
    await bench.clock.advance(atMs - bench.clock.now());
    bench.failures.length = 0;
    await bench.compare();
    return bench.failures.map(({ jobId, charged }) => `${jobId} ${charged / CENT}`);
  };
  const nowMs = bench.clock.now();
  const all = Array.from({ length: 52 }, (_, index) => `job_odd_${index} ${1 + index}`);
  expect(await told(nowMs)).toEqual(all.slice(0, 50));
  expect(await told(nowMs)).toEqual(all.slice(50));
  expect(await told(nowMs)).toEqual([]);
  const late = await bench.job('late', { status: 'failed', cents: 9 });
  const endedAtMs = bench.clock.now();
  expect(await told(endedAtMs + MINUTE_MS - 1)).toEqual([]);
  expect(await told(endedAtMs + MINUTE_MS)).toEqual([`${late} 9`]);
});

test('a report is stored unchanged, and only the last two hundred are kept', async () => {
  const bench = await useAccount();
  bench.earlierCents = 11;
  await bench.job('a', { cents: 3 });
  await bench.job('b', { cents: 7, books: 'review', row: { service_job_id: null, outcome: 'unknown' } });
  await bench.foreign(5);
  bench.log = { ...bench.log, keptMax: 2 };
  const reconciliation = bench.reconciliation();
  const report = await reconciliation.run();
  expect(report).toMatchObject({ isComplete: false, inReview: 1 });
  expect(await reconciliation.latest()).toEqual(report);
  bench.log = { read: bench.log.read };
  await bench.clock.advance(MINUTE_MS);
  const next = await reconciliation.run();
  expect(next).toMatchObject({ isComplete: true });
  expect(await reconciliation.history(2)).toEqual([next, report]);
  const rows = await bench.database.kysely.selectFrom('reconciliations').selectAll().execute();
  const { id: _, ...newest } = rows.at(-1) ?? { id: 0 };
  const copies = Array.from({ length: 210 }, (_, index) => ({ ...newest, made_at_ms: index }));
  await bench.database.kysely
    .insertInto('reconciliations')
    .values(copies as never)
    .execute();
  const last = await reconciliation.run();
  const kept = await reconciliation.history(1_000);
  expect(kept).toHaveLength(200);
  expect(kept[0]).toEqual(last);
  expect(kept.at(-1)?.madeAtMs).toBe(11);
});

test('the state that a comparison stores is read unchanged by the next one', async () => {
  const bench = await useAccount();
  const checkpoint = { entryId: 1, spent: micros(2), pending: micros(3), foreign: micros(4) };
  const state = {
    sinceMs: 5,
    spentEarlier: micros(6),
    decidedToMs: 7,
    habits: { dialect: 'iso', pageMax: 8 },
    ids: 'different',
    checkpoint,
    disputed: { u1: micros(9), u2: micros(-10) },
    told: micros(11),
    toldAtMs: 12,
    failuresToMs: 13,
  } as const;
  const { database: db } = bench;
  for (const each of [state, { ...state, spentEarlier: null, habits: null, toldAtMs: null }]) {
    await db.transaction('account', (trx) => saveState(trx, each));
    expect(await loadState(db.kysely)).toEqual(each);
  }
});
