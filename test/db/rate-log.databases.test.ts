import fc from 'fast-check';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RateLog } from '../../db/rate-log.ts';
import { useDatabase } from './use-database.ts';
import { useFolder } from '../helpers/use-folder.ts';

const WINDOW_MS = 60_000;

test('the limit holds in the window, and the refusal says when the oldest grant leaves', async () => {
  const log = new RateLog(await useDatabase(), () => 'key');
  expect(await log.reserve(() => 1000, WINDOW_MS, 2)).toEqual({ granted: true });
  expect(await log.reserve(() => 1500, WINDOW_MS, 2)).toEqual({ granted: true });
  expect(await log.reserve(() => 60_999, WINDOW_MS, 2)).toEqual({ granted: false, retryAtMs: 61_000 });
  expect(await log.reserve(() => 61_000, WINDOW_MS, 2)).toEqual({ granted: true });
  expect(await log.reserve(() => 61_000, WINDOW_MS, 2)).toEqual({ granted: false, retryAtMs: 61_500 });
});

test('a freeze blocks all requests until its end, and a shorter freeze does not end it sooner', async () => {
  const path = join(await useFolder(), 'shared.db');
  const [one, two] = [
    new RateLog(await useDatabase(path), () => 'key'),
    new RateLog(await useDatabase(path), () => 'key'),
  ];
  await one.freeze(5000);
  await one.freeze(3000);
  expect(await two.reserve(() => 4999, WINDOW_MS, 60)).toEqual({ granted: false, retryAtMs: 5000 });
  expect(await two.reserve(() => 5000, WINDOW_MS, 60)).toEqual({ granted: true });
  const another = new RateLog(await useDatabase(path), () => 'another key');
  await one.freeze(9000);
  expect(await another.reserve(() => 6000, WINDOW_MS, 60)).toEqual({ granted: true });
});

test('100 simultaneous attempts over two connections get exactly the limit', async () => {
  const path = join(await useFolder(), 'shared.db');
  const logs = [
    new RateLog(await useDatabase(path), () => 'key'),
    new RateLog(await useDatabase(path), () => 'key'),
  ];
  const tries = Array.from({ length: 50 }, () =>
    logs.map((log) => log.reserve(() => 1000, WINDOW_MS, 60)),
  ).flat();
  const outcomes = await Promise.all(tries);
  expect(outcomes.filter((outcome) => outcome.granted)).toHaveLength(60);
});

test('a clock that was set back blocks for one window at most and never exceeds the limit', async () => {
  const log = new RateLog(await useDatabase(), () => 'key');
  for (let index = 0; index < 3; index++) await log.reserve(() => 10_000_000, WINDOW_MS, 3);
  expect(await log.reserve(() => 1000, WINDOW_MS, 3)).toEqual({ granted: false, retryAtMs: 61_000 });
  expect(await log.reserve(() => 61_000, WINDOW_MS, 3)).toEqual({ granted: true });
});

test('no time span of one window ever contains more grants than the limit, whenever requests are made', async () => {
  const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 6 }), async (delays, limit) => {
      const log = new RateLog(await useDatabase(), () => 'key');
      const grants: number[] = [];
      let nowMs = 0;
      for (const delay of delays) {
        nowMs += delay;
        const outcome = await log.reserve(() => nowMs, WINDOW_MS, limit);
        if (outcome.granted) grants.push(nowMs);
        else expect(outcome.retryAtMs).toBeGreaterThan(nowMs);
      }
      for (const [index, atMs] of grants.entries()) {
        const first = grants[index - limit];
        if (first !== undefined) expect(atMs - first).toBeGreaterThanOrEqual(WINDOW_MS);
      }
    }),
    { numRuns: 25 },
  );
});

test('each key has its own limit and freeze, whatever other keys in the database do', async () => {
  const db = await useDatabase();
  const [one, other] = [new RateLog(db, () => 'one'), new RateLog(db, () => 'other')];
  const second = { granted: false, retryAtMs: 61_000 };
  for (const log of [one, other]) {
    expect(await log.reserve(() => 1000, WINDOW_MS, 1)).toEqual({ granted: true });
    expect(await log.reserve(() => 2000, WINDOW_MS, 1)).toEqual(second);
  }
  await other.freeze(500_000);
  expect(await one.reserve(() => 130_000, WINDOW_MS, 1)).toEqual({ granted: true });
  // The clock has jumped far back for the first key, which changes this key's row in the log, but no other key's row.
  expect(await one.reserve(() => 0, WINDOW_MS, 1)).toEqual({ granted: false, retryAtMs: 60_000 });
  const rows = await db.kysely.selectFrom('rate_log').selectAll().orderBy('key_id').execute();
  expect(rows).toMatchObject([
    { key_id: 'one', at_ms: 0 },
    { key_id: 'other', at_ms: 1000 },
  ]);
});

test('with a lower limit than before, the next request waits until the window holds fewer', async () => {
  const log = new RateLog(await useDatabase(), () => 'key');
  for (const atMs of [1, 2, 3, 4, 5]) await log.reserve(() => atMs, WINDOW_MS, 5);
  expect(await log.reserve(() => 10, WINDOW_MS, 2)).toEqual({ granted: false, retryAtMs: 60_004 });
  expect(await log.reserve(() => 60_004, WINDOW_MS, 2)).toEqual({ granted: true });
});
