import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { MemoryRateLog } from '../../src/media-api/memory-rate-log.ts';
import { PRIORITIES, RateBudget } from '../../src/media-api/rate-budget.ts';

const MINUTE_MS = 60_000;
const WINDOW_MS = 62_000;
const LONGEST_MS = 10 * MINUTE_MS;

interface Freeze {
  /** The time since the previous freeze. */
  readonly afterMs: number;
  readonly durationMs: number;
}

function useBudget(limit: number, clock: FakeClock, waitMsMax = 1e9): RateBudget {
  const log = new MemoryRateLog();
  const budget = new RateBudget({ log, clock, requestsPerMinute: limit, marginMs: 2_000, waitMsMax });
  onTestFinished(() => budget[Symbol.dispose]());
  return budget;
}

/** Requests twice the limit at once, and returns how many are granted. */
async function burst(budget: RateBudget, clock: FakeClock, limit: number): Promise<number> {
  let granted = 0;
  const stop = new AbortController();
  for (let request = 0; request < 2 * limit; request++) {
    budget.take('interactive', stop.signal).then(
      () => (granted += 1),
      () => undefined,
    );
  }
  await clock.advance(0);
  stop.abort();
  await clock.advance(0);
  return granted;
}

/**
 * Returns the number of requests that may be sent `leftMs` after the last of these freezes. Each outage halves the
 * limit once, however many answers report it, and each whole minute after the outage restores a tenth of the limit.
 */
function limitAfter(freezes: readonly Freeze[], limit: number, leftMs: number): number {
  let cut = limit;
  let endsAtMs = -Infinity;
  let nowMs = 0;
  const limitAt = (ms: number): number =>
    Math.min(limit, cut + Math.max(0, Math.floor((ms - endsAtMs) / MINUTE_MS)) * Math.ceil(limit / 10));
  for (const { afterMs, durationMs } of freezes) {
    nowMs += afterMs;
    if (nowMs >= endsAtMs) cut = Math.ceil((endsAtMs === -Infinity ? limit : limitAt(nowMs)) / 2);
    endsAtMs = Math.max(endsAtMs, nowMs + Math.min(Math.max(0, durationMs), LONGEST_MS));
  }
  nowMs += leftMs;
  return nowMs < endsAtMs ? 0 : limitAt(nowMs);
}

const freezes = fc.array(
  fc.record({
    afterMs: fc.constantFrom(0, 1_000, 30_000, MINUTE_MS, 3 * MINUTE_MS),
    durationMs: fc.constantFrom(-1, 0, 1_000, MINUTE_MS, 2 * MINUTE_MS, LONGEST_MS, LONGEST_MS + 1),
  }),
  { minLength: 1, maxLength: 6 },
);
const left = fc.constantFrom(
  0,
  999,
  1_000,
  MINUTE_MS - 1,
  MINUTE_MS,
  2 * MINUTE_MS,
  9 * MINUTE_MS,
  LONGEST_MS,
  1e7,
);

test('an outage halves the limit once, however often it is reported, and the limit recovers step by step', async () => {
  await fc.assert(
    fc.asyncProperty(freezes, left, fc.integer({ min: 1, max: 60 }), async (outages, leftMs, limit) => {
      const clock = new FakeClock();
      const budget = useBudget(limit, clock);
      for (const { afterMs, durationMs } of outages) {
        await clock.advance(afterMs);
        await budget.freeze(durationMs);
      }
      await clock.advance(leftMs);

      expect(await burst(budget, clock, limit)).toBe(limitAfter(outages, limit, leftMs));
    }),
    {
      numRuns: 150,
      examples: [
        [Array.from({ length: 4 }, () => ({ afterMs: 0, durationMs: MINUTE_MS })), MINUTE_MS, 60],
        [Array.from({ length: 3 }, () => ({ afterMs: 2 * MINUTE_MS, durationMs: MINUTE_MS })), MINUTE_MS, 60],
      ],
    },
  );
});

test.each(PRIORITIES.map((priority, index) => [priority, [20, 19, 18, 12, 10][index] ?? 0] as const))(
  '%s fills %i of 20 places of the window, and the rest stays for higher classes',
  async (priority, places) => {
    const clock = new FakeClock();
    const budget = useBudget(20, clock);
    let granted = 0;
    const stop = new AbortController();
    for (let request = 0; request < 40; request++) {
      budget.take(priority, stop.signal).then(
        () => (granted += 1),
        () => undefined,
      );
    }
    await clock.advance(0);
    expect(granted).toBe(places);
    await clock.advance(WINDOW_MS - 1);
    expect(granted).toBe(places);
    await clock.advance(1);
    expect(granted).toBe(2 * places);
    stop.abort();
    await clock.advance(WINDOW_MS);
    expect(await burst(budget, clock, 20)).toBe(20);
  },
);

test('each class has a place in any limit, and its share is rounded down', async () => {
  for (const [limit, background] of [
    [1, 1],
    [2, 1],
    [3, 1],
    [5, 2],
    [7, 3],
  ] as const) {
    const clock = new FakeClock();
    const budget = useBudget(limit, clock);
    let granted = 0;
    for (let request = 0; request < limit; request++) {
      budget.take('background').then(
        () => (granted += 1),
        () => undefined,
      );
    }
    await clock.advance(0);
    expect(granted, `of ${limit}`).toBe(background);
  }
});
