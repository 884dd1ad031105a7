import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compare } from '../../../../src/bot/money/reconciliation/compare.ts';
import { firstState, loadState } from '../../../../src/bot/money/reconciliation/reconciliation-state.ts';
import { Turn } from '../../../../src/bot/money/reconciliation/turn.ts';
import { useDatabaseUrl } from '../../../db/use-database.ts';
import { runTogether } from '../../../db/use-processes.ts';
import { useStubApi } from '../../../media-api/use-stub-api.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { type AccountBench, useAccount } from './use-account.ts';

const COMPARE_PROCESS = new URL('compare-process.ts', import.meta.url);
const HOUR_MS = 3_600_000;

/** Sets up one case of everything that a comparison can book. */
async function aBusyDay(bench: AccountBench): Promise<void> {
  for (let index = 0; index < 5; index++) await bench.job(`usual_${index}`);
  for (let index = 0; index < 3; index++) await bench.job(`left_${index}`, { cents: 7, books: 'review' });
  for (let index = 0; index < 20; index++) await bench.foreign(2);
  bench.reprice(1, 3, { job: 'usual_1' });
  await bench.clock.advance(HOUR_MS);
}

const RIGHT = { guild: { spent: 40, pending: 0, foreign: 0 }, others: { spent: 0, pending: 0, foreign: 40 } };

async function booksOf(bench: AccountBench): Promise<typeof RIGHT> {
  return { guild: await bench.cents('guild'), others: await bench.cents('') };
}

test('one of two processes compares at a time, and nothing is booked twice', async () => {
  const path = join(await useFolder(), 'shared.db');
  const bench = await useAccount({ path });
  await aBusyDay(bench);
  const took = await runTogether(COMPARE_PROCESS, 2, [await useDatabaseUrl(path), bench.baseUrl]);
  expect(took).toContain(true);
  expect(await booksOf(bench)).toEqual(RIGHT);
});

test('two comparisons at the same time from the same state, one late, book nothing twice', async () => {
  const bench = await useAccount();
  await aBusyDay(bench);
  const context = bench.context();
  const state = (await loadState(bench.database.kysely)) ?? firstState(0);
  const { signal } = new AbortController();
  await Promise.all([compare(state, context, signal), compare(state, context, signal)]);
  await compare(state, context, signal);
  expect(await booksOf(bench)).toEqual(RIGHT);
});

test('a process that dies in its turn delays the others only until the turn ends', async () => {
  const bench = await useAccount();
  const dead = new Turn({ db: bench.database, clock: bench.clock, owner: 'dead' });
  await dead.take(60_000, { isEarly: true, intervalMs: HOUR_MS });
  const waiting = bench.reconciliation();
  expect(await waiting.run()).toBeUndefined();
  expect(await waiting.history(10)).toHaveLength(1);
  await bench.clock.advance(60_000);
  await expect.poll(() => waiting.history(10)).toHaveLength(2);
});

test('a comparison with a service that never answers is given up, and the turn is given back', async () => {
  const bench = await useAccount();
  const silent = await useStubApi(() => new Promise<void>(() => undefined));
  const reconciliation = bench.reconciliation({ limits: { passMsMax: 60_000 } }, silent.baseUrl);
  const run = reconciliation.run();
  await expect.poll(silent.arrivals).toBe(1);
  await bench.clock.advance(60_000);
  expect(await run).toBeUndefined();
  expect(await bench.compare()).toMatchObject({ difference: 0 });
  const again = reconciliation.run();
  await expect.poll(silent.arrivals).toBe(2);
  await reconciliation[Symbol.asyncDispose]();
  expect(await again).toBeUndefined();
  expect(await bench.compare()).toMatchObject({ difference: 0 });
});

test('it compares again within a minute on request, however many requests there are', async () => {
  const bench = await useAccount();
  const reconciliation = bench.reconciliation({
    limits: { intervalMs: HOUR_MS, passMsMax: 1_000 * HOUR_MS },
  });
  reconciliation.soon();
  expect(bench.clock.pendingTimers).toBe(0);
  await reconciliation.run();
  for (let time = 0; time < 3; time++) reconciliation.soon();
  await bench.clock.advance(59_000);
  expect(await reconciliation.history(10)).toHaveLength(2);
  await bench.clock.advance(1_000);
  await expect.poll(() => reconciliation.history(10)).toHaveLength(3);
  await bench.clock.advance(120_000);
  expect(await reconciliation.history(10)).toHaveLength(3);
  await expect
    .poll(async () => {
      // A comparison may still be at work after it is listed. Until it ends, a request has no effect.
      reconciliation.soon();
      await bench.clock.advance(1_000);
      return (await reconciliation.history(10)).length;
    })
    .toBe(4);
});

test('it compares again after every interval, and stops at once when it is disposed', async () => {
  const bench = await useAccount();
  // Time advances while the comparison runs.
  const limits = { intervalMs: HOUR_MS, passMsMax: 1_000 * HOUR_MS };
  const reconciliation = bench.reconciliation({ limits });
  reconciliation.start();
  await expect.poll(() => reconciliation.history(10)).toHaveLength(2);
  await expect
    .poll(async () => {
      await bench.clock.advance(HOUR_MS / 4);
      return (await reconciliation.history(10)).length;
    })
    .toBeGreaterThanOrEqual(4);
  await reconciliation[Symbol.asyncDispose]();
  expect(bench.clock.pendingTimers).toBe(0);
});
