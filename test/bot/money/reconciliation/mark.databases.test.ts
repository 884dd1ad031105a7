import { expect, test } from 'vitest';
import {
  endSuggestions,
  findUsageOwner,
  listAllSuggestions,
  listSuggestions,
  listSuggestionsOfRecord,
  putSuggestion,
} from '../../../../db/queries/usage-owners.ts';
import { micros } from '../../../../src/base/money.ts';
import { loadState } from '../../../../src/bot/money/reconciliation/reconciliation-state.ts';
import { type AccountBench, useAccount } from './use-account.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const CENT = 10_000;

/** Returns the time up to which every record has been decided. */
async function mark({ database }: AccountBench): Promise<number> {
  return (await loadState(database.kysely))?.decidedToMs ?? Number.NaN;
}

test('the mark follows the time, stays before undecided records for a week, and waits for a complete log', async () => {
  const bench = await useAccount();
  await bench.clock.advance(10 * DAY_MS);
  await bench.compare();
  const startMs = bench.clock.now();
  expect(await mark(bench)).toBe(startMs);
  // This record's price is still unknown.
  await bench.clock.advance(HOUR_MS);
  await bench.foreign(0);
  const undecidedMs = startMs + HOUR_MS;
  for (const days of [1, 7]) {
    await bench.clock.advance(undecidedMs + days * DAY_MS - bench.clock.now());
    expect(await bench.compare()).toMatchObject({ undecided: 1 });
    expect(await mark(bench)).toBe(undecidedMs);
  }
  await bench.clock.advance(HOUR_MS);
  await bench.compare();
  expect(await mark(bench)).toBe(undecidedMs + HOUR_MS);
  bench.records.length = 0;
  await bench.compare();
  const wholeMs = bench.clock.now();
  expect(await mark(bench)).toBe(wholeMs);
  await bench.foreign(3);
  bench.log = { ...bench.log, keptMax: 0 };
  expect(await bench.compare()).toMatchObject({ isComplete: false });
  expect(await mark(bench)).toBe(wholeMs);
  bench.log = { read: bench.log.read };
  expect(await bench.compare()).toMatchObject({ isComplete: true, undecided: 0 });
  expect(await mark(bench)).toBe(bench.clock.now());
});

test('the mark is never before the books began', async () => {
  const bench = await useAccount();
  const startMs = bench.clock.now() - MINUTE_MS;
  bench.log = { ...bench.log, keptMax: 0 };
  await bench.foreign(3);
  await bench.compare();
  expect(await mark(bench)).toBe(startMs);
});

test.each([
  ['a day', DAY_MS, 3],
  ['longer', DAY_MS + 1, 4],
])('a record that was decided %s ago is checked again, or not', async (_name, agoMs, cents) => {
  const bench = await useAccount();
  for (let index = 0; index < 4; index++) await bench.job(`usual_${index}`);
  const recordedAtMs = bench.clock.now() - 3 * MINUTE_MS;
  bench.jobs.clear();
  await bench.clock.advance(recordedAtMs + agoMs - bench.clock.now());
  await bench.compare();
  bench.reprice(3, 3);
  for (let pass = 0; pass < 2; pass++) await bench.compare();
  expect((await bench.hold('job_usual_3')).charged_micros).toBe(cents * CENT);
});

test('suggestions are listed in order, by hold or record, and end with either', async () => {
  const bench = await useAccount({ isNew: false });
  const { database: db } = bench;
  const rows = [
    ['a', 'u1', 5, 1],
    ['a', 'u2', 3, 2],
    ['a', 'u3', 3, 2],
    ['b', 'u1', 5, 1],
    ['b', 'u4', 9, 9],
    ['c', 'u5', 1, 5],
  ] as const;
  await db.transaction('account', async (trx) => {
    for (const [subject, record_id, charged, recorded_at_ms] of rows.toReversed()) {
      await putSuggestion(trx, { subject, record_id, charged_micros: micros(charged), recorded_at_ms });
    }
  });
  const names = (some: readonly { subject: string; record_id: string }[]): string =>
    some.map(({ subject, record_id: id }) => `${subject} ${id}`).join(', ');
  const of = async (subjects: readonly string[], limit: number): Promise<string> =>
    names(await listSuggestions(db.kysely, { subjects, limit }));
  expect(await of(['b', 'a'], 9)).toBe('a u2, a u3, a u1, b u1, b u4');
  expect(await of(['b', 'a'], 2)).toBe('a u2, a u3');
  expect(await of([], 2)).toBe('');
  expect(names(await listAllSuggestions(db.kysely, 9))).toBe('b u4, c u5, a u2, a u3, a u1, b u1');
  expect(names(await listAllSuggestions(db.kysely, 2))).toBe('b u4, c u5');
  expect((await listSuggestionsOfRecord(db.kysely, 'u1')).map(({ subject }) => subject).toSorted()).toEqual([
    'a',
    'b',
  ]);
  await db.transaction('account', (trx) => endSuggestions(trx, { recordId: 'u1' }));
  expect(names(await listAllSuggestions(db.kysely, 9))).toBe('b u4, c u5, a u2, a u3');
  await db.transaction('account', (trx) => endSuggestions(trx, { recordId: 'u4', subject: 'a' }));
  expect(names(await listAllSuggestions(db.kysely, 9))).toBe('c u5');
  expect(await findUsageOwner(db.kysely, 'u1')).toBeUndefined();
});
