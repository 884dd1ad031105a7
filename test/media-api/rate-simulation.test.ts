import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { RateLog as SharedRateLog } from '../../db/rate-log.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { backoffMs } from '../../src/base/retry.ts';
import { MemoryRateLog } from '../../src/media-api/memory-rate-log.ts';
import { PRIORITIES, RateBudget } from '../../src/media-api/rate-budget.ts';
import type { RateLog } from '../../src/media-api/rate-log.ts';
import { useDatabase, useDatabaseUrl } from '../db/use-database.ts';
import { runTogether } from '../db/use-processes.ts';
import { seededRandom } from '../media-server/engine/seeded-random.ts';
import { useFolder } from '../helpers/use-folder.ts';

const MINUTE_MS = 60_000;
const STEP_MS = 250;
/** The largest difference between two latencies that the budget allows for; the latencies below use all of it. */
const JITTER_MS = 2_000;

/**
 * Returns the largest number of arrivals in one window, which the tests compare with the limit. A request
 * that leaves at `d` arrives at `d + latency`, with latencies from `l` to `l + JITTER_MS`. Requests that
 * arrive in a window `[w, w + 60 s)` left within `(w - l - JITTER_MS, w - l + 60 s)`, a span of less than 60
 * s + JITTER_MS. If no such span contains more departures than the limit, no window of any phase receives more
 * requests than the limit, and the service has no reason for a 429.
 */
function mostInOneWindow(arrivals: Float64Array, phaseMs: number): number {
  const perWindow = new Uint32Array(Math.ceil((arrivals.at(-1) ?? 0) / MINUTE_MS) + 3);
  for (const at of arrivals) {
    const window = Math.floor((at + phaseMs) / MINUTE_MS);
    perWindow[window] = (perWindow[window] ?? 0) + 1;
  }
  return perWindow.reduce((most, count) => Math.max(most, count));
}

interface Demand {
  readonly logs: readonly RateLog[];
  readonly clients: number;
  readonly durationMs: number;
  readonly limit?: number;
}

/**
 * Simulates clients of every priority, most of which send the next request as soon as they are answered. Returns the
 * times at which the requests reached the service.
 */
async function fullDemand({ logs, clients, durationMs, limit = 60 }: Demand): Promise<Float64Array> {
  const clock = new FakeClock(0);
  const random = seededRandom(3);
  const options = { clock, requestsPerMinute: limit, marginMs: JITTER_MS, waitMsMax: 7_200_000 };
  const pending = new Set<object>();
  const counted = (log: RateLog): RateLog => ({
    freeze: (untilMs) => log.freeze(untilMs),
    reserve: async (...slot) => {
      const asked = {};
      pending.add(asked);
      try {
        return await log.reserve(...slot);
      } finally {
        pending.delete(asked);
      }
    },
  });
  const budgets = logs.map((log) => new RateBudget({ ...options, log: counted(log) }));
  onTestFinished(() => budgets.forEach((budget) => budget[Symbol.dispose]()));
  const arrivals: number[] = [];
  const errors: unknown[] = [];
  const keepAsking = async (client: number): Promise<void> => {
    const budget = budgets[client % budgets.length];
    const priority = PRIORITIES[client % PRIORITIES.length] ?? 'poll';
    while (clock.now() < durationMs) {
      await budget?.take(priority);
      const latencyMs = 80 + random() * JITTER_MS;
      arrivals.push(clock.now() + latencyMs);
      // Some clients continue at once, some after a pause, which gives bursts and lulls of all kinds.
      const restMs = Math.round(latencyMs + (random() < 0.02 ? random() * 120_000 : 0));
      await new Promise<void>((resolve) => void clock.after(restMs, resolve));
    }
  };
  for (let client = 0; client < clients; client++)
    keepAsking(client).catch((error: unknown) => errors.push(error));
  while (clock.now() < durationMs) {
    await clock.advance(STEP_MS);
    // A real database takes real time, so simulated time waits for it.
    while (pending.size > 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(errors).toEqual([]);
  return Float64Array.from(arrivals).toSorted();
}

function expectNoRefusal(arrivals: Float64Array, limit: number): void {
  const random = seededRandom(11);
  for (let phase = 0; phase < 200; phase++) {
    expect(mostInOneWindow(arrivals, random() * MINUTE_MS)).toBeLessThanOrEqual(limit);
  }
}

test('24 hours of full demand cause no 429, whatever the phase of the service’s window', async () => {
  const arrivals = await fullDemand({ logs: [new MemoryRateLog()], clients: 70, durationMs: 86_400_000 });

  expectNoRefusal(arrivals, 60);
  // Nearly all allowed requests are sent: 60 every 62 s.
  expect(arrivals.length).toBeGreaterThan(0.97 * (86_400 / 62) * 60);
});

test('four budgets that share the log in one database cause no 429 either', async () => {
  const path = join(await useFolder(), 'shared.db');
  const logs: RateLog[] = [];
  for (let part = 0; part < 4; part++) logs.push(new SharedRateLog(await useDatabase(path), () => 'key'));

  const arrivals = await fullDemand({ logs, clients: 80, durationMs: 600_000 });

  expectNoRefusal(arrivals, 60);
  expect(arrivals.length).toBeGreaterThan(0.8 * (600 / 62) * 60);
});

test('four processes with simultaneous requests get the limit of one key together', async () => {
  const path = join(await useFolder(), 'shared.db');
  const url = await useDatabaseUrl(path);

  const granted = await runTogether(new URL('../db/reserve-process.ts', import.meta.url), 4, [url]);

  const each = granted.map((times) => (times as number[]).length);
  expect(each.reduce((sum, count) => sum + count, 0)).toBe(60);
});

test('a raised limit is used', async () => {
  const options = { clients: 400, durationMs: 600_000, limit: 600 };
  const arrivals = await fullDemand({ ...options, logs: [new MemoryRateLog()] });

  expectNoRefusal(arrivals, 600);
  expect(arrivals.length).toBeGreaterThan(0.9 * (600 / 62) * 600);
});

test('in a full window, no submit waits for more than one slot of the 1,000 earlier polls', async () => {
  const clock = new FakeClock(0);
  const log = new MemoryRateLog();
  const options = { clock, requestsPerMinute: 60, marginMs: JITTER_MS, waitMsMax: 7_200_000 };
  const budget = new RateBudget({ ...options, log });
  onTestFinished(() => budget[Symbol.dispose]());
  const left: string[] = [];
  const take = (what: 'interactive' | 'poll'): void =>
    void budget.take(what).then(
      () => left.push(what),
      () => undefined,
    );
  for (let poll = 0; poll < 1_000; poll++) take('poll');
  const random = seededRandom(5);
  for (let submit = 0; submit < 200; submit++) {
    await clock.advance(random() * 8_000);
    const before = left.length;
    take('interactive');
    while (!left.slice(before).includes('interactive')) await clock.advance(100);
    expect(left.slice(before).indexOf('interactive')).toBeLessThanOrEqual(1);
  }
});

test('a thousand clients that fail at the same moment return spread over time', () => {
  for (const attempt of [1, 2, 3, 6]) {
    const ceilingMs = Math.min(15_000, 500 * 2 ** (attempt - 1));
    const bins = Array.from({ length: 20 }, () => 0);
    for (let client = 0; client < 1_000; client++) {
      const delayMs = backoffMs({ delayMsFirst: 500, delayMsMax: 15_000 }, attempt);
      const bin = Math.min(19, Math.floor(((delayMs - ceilingMs / 2) / (ceilingMs / 2)) * 20));
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    // The average is 50; 100 would be 7 standard deviations away.
    expect(Math.max(...bins)).toBeLessThan(100);
  }
});
