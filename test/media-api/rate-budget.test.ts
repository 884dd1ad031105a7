import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { MemoryRateLog } from '../../src/media-api/memory-rate-log.ts';
import { type Priority, RateBudget } from '../../src/media-api/rate-budget.ts';
import type { RateLog } from '../../src/media-api/rate-log.ts';

interface Setup {
  readonly clock: FakeClock;
  readonly budget: RateBudget;
}

function useBudget(
  options: { limit?: number; log?: RateLog; clock?: FakeClock; waitMsMax?: number } = {},
): Setup {
  const { limit = 60, log = new MemoryRateLog(), clock = new FakeClock(), waitMsMax = 3600_000 } = options;
  const budget = new RateBudget({ log, clock, requestsPerMinute: limit, marginMs: 2000, waitMsMax });
  onTestFinished(() => budget[Symbol.dispose]());
  return { clock, budget };
}

/** Requests `count` slots and records when each is granted. */
function takeMany({ clock, budget }: Setup, count: number, priority: Priority, grants: number[]): void {
  for (let i = 0; i < count; i++) {
    budget.take(priority).then(
      () => grants.push(clock.now()),
      () => undefined,
    );
  }
}

test('a burst leaves at once up to the limit, and the rest exactly one window and margin later', async () => {
  const setup = useBudget();
  const startMs = setup.clock.now();
  const grants: number[] = [];
  takeMany(setup, 150, 'interactive', grants);
  await setup.clock.advance(130_000);
  const at = grants.map((ms) => ms - startMs);
  expect([at[59], at[60], at[119], at[120], at.length]).toEqual([0, 62_000, 62_000, 124_000, 150]);
});

test('no fixed window of any phase ever sees more than the limit', async () => {
  const setup = useBudget();
  const arrivals: number[] = [];
  let seed = 12_345;
  const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const send = (): void =>
    void setup.budget.take('interactive').then(
      () => arrivals.push(setup.clock.now() + random() * 2000),
      () => undefined,
    );
  for (let burst = 0; burst < 12; burst++) {
    for (let i = 0; i < 90; i++) send();
    await setup.clock.advance(Math.round(random() * 90_000));
  }
  await setup.clock.advance(3600_000);
  expect(arrivals).toHaveLength(12 * 90);
  for (let phase = 0; phase < 200; phase++) {
    const offsetMs = random() * 60_000;
    const perWindow = new Map<number, number>();
    for (const at of arrivals) {
      const window = Math.floor((at + offsetMs) / 60_000);
      perWindow.set(window, (perWindow.get(window) ?? 0) + 1);
    }
    expect(Math.max(...perWindow.values())).toBeLessThanOrEqual(60);
  }
});

/** The time that 160 requests take at one per window. */
const LONGEST_MS = 160 * 62_000;

test('no rolling window contains more than the limit, for any traffic', async () => {
  const traffic = fc.array(
    fc.record({
      waitMs: fc.integer({ min: 0, max: 30_000 }),
      count: fc.integer({ min: 1, max: 8 }),
      priority: fc.constantFrom<Priority>('interactive', 'reconcile', 'poll', 'sweep', 'background'),
    }),
    { minLength: 1, maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(traffic, fc.integer({ min: 1, max: 10 }), async (steps, limit) => {
      const clock = new FakeClock();
      const setup = useBudget({ limit, clock, waitMsMax: LONGEST_MS });
      const grants: number[] = [];
      for (const { waitMs, count, priority } of steps) {
        takeMany(setup, count, priority, grants);
        await clock.advance(waitMs);
      }
      await clock.advance(LONGEST_MS);
      expect(grants).toHaveLength(steps.reduce((sum, { count }) => sum + count, 0));
      grants.forEach((at, index) => {
        const before = grants[index - limit];
        if (before !== undefined) expect(at - before).toBeGreaterThanOrEqual(62_000);
      });
    }),
    { numRuns: 25 },
  );
});

test('a submit leaves at once although a thousand polls wait', async () => {
  const setup = useBudget();
  const polls: number[] = [];
  takeMany(setup, 1000, 'poll', polls);
  await setup.clock.advance(1000);
  expect(polls).toHaveLength(54);
  const submits: number[] = [];
  takeMany(setup, 6, 'interactive', submits);
  await setup.clock.advance(0);
  expect(submits).toHaveLength(6);
});

test('when the window is full, a submit leaves with the first slots that become free', async () => {
  const setup = useBudget();
  const first: number[] = [];
  takeMany(setup, 60, 'interactive', first);
  const lower: number[] = [];
  takeMany(setup, 50, 'poll', lower);
  takeMany(setup, 50, 'background', lower);
  await setup.clock.advance(30_000);
  const submit: number[] = [];
  takeMany(setup, 1, 'interactive', submit);
  await setup.clock.advance(40_000);
  const nextMs = (first[0] ?? 0) + 62_000;
  expect(submit).toEqual([nextMs]);
  expect(Math.min(...lower)).toBe(nextMs);
});

test('a lower class delays a waiting submit by at most one slot', async () => {
  const setup = useBudget({ limit: 2 });
  const order: Priority[] = [];
  const note = (priority: Priority): void =>
    void setup.budget.take(priority).then(
      () => order.push(priority),
      () => undefined,
    );
  for (let i = 0; i < 30; i++) note('interactive');
  for (let i = 0; i < 5; i++) for (const lower of ['reconcile', 'poll', 'background'] as const) note(lower);
  await setup.clock.advance(23 * 62_000);
  expect(order.slice(0, 33).filter((priority) => priority !== 'interactive').length).toBeGreaterThanOrEqual(
    3,
  );
  const lastSubmit = order.lastIndexOf('interactive');
  order.slice(0, lastSubmit).forEach((priority, index) => {
    if (priority !== 'interactive') expect(order[index + 1]).toBe('interactive');
  });
});

test('lower classes do not starve under endless submits, and use up to one slot in ten', async () => {
  const setup = useBudget({ limit: 10 });
  const order: Priority[] = [];
  const note = (priority: Priority): void =>
    void setup.budget.take(priority).then(
      () => order.push(priority),
      () => undefined,
    );
  for (let i = 0; i < 200; i++) note('interactive');
  for (let i = 0; i < 20; i++) note('background');
  await setup.clock.advance(12 * 62_000);
  const lower = order.filter((priority) => priority === 'background').length;
  expect(lower).toBeGreaterThanOrEqual(9);
  expect(lower).toBeLessThanOrEqual(13);
  const pairs = order.filter(
    (priority, index) => priority === 'background' && order[index - 1] === 'background',
  );
  expect(pairs).toHaveLength(0);
});

test('a freeze stops everything and is followed by half the limit, which recovers step by step', async () => {
  const setup = useBudget();
  const startMs = setup.clock.now();
  await setup.budget.freeze(60_000);
  const grants: number[] = [];
  takeMany(setup, 300, 'interactive', grants);
  await setup.clock.advance(59_999);
  expect(grants).toHaveLength(0);
  await setup.clock.advance(1);
  expect(grants).toHaveLength(30);
  await setup.clock.advance(62_000);
  expect(grants.filter((at) => at > startMs + 60_000)).toHaveLength(36);
});

test('two processes with one log share one limit', async () => {
  const log = new MemoryRateLog();
  const clock = new FakeClock();
  const grants: number[] = [];
  takeMany(useBudget({ log, clock }), 60, 'interactive', grants);
  takeMany(useBudget({ log, clock }), 60, 'interactive', grants);
  await clock.advance(1000);
  expect(grants).toHaveLength(60);
  await clock.advance(62_000);
  expect(grants).toHaveLength(120);
});

test("a wait ends when the caller's signal aborts, and its place becomes free", async () => {
  const setup = useBudget({ limit: 1 });
  await setup.budget.take('interactive');
  const controller = new AbortController();
  const call = setup.budget.take('interactive', controller.signal).catch((error: unknown) => error);
  const grants: number[] = [];
  takeMany(setup, 1, 'interactive', grants);
  controller.abort();
  expect(await call).toMatchObject({ code: 'aborted', phase: 'queue', ambiguous: false });
  await setup.clock.advance(62_000);
  expect(grants).toHaveLength(1);
});

test('a wait that takes too long and a queue that is too long are rejected', async () => {
  const setup = useBudget({ limit: 1, waitMsMax: 30_000 });
  await setup.budget.take('interactive');
  const late = setup.budget.take('poll').catch((error: unknown) => error);
  await setup.clock.advance(30_000);
  expect(await late).toMatchObject({ code: 'queue_timed_out', ambiguous: false });
  takeMany(setup, 1000, 'sweep', []);
  await expect(setup.budget.take('sweep')).rejects.toMatchObject({ code: 'queue_full' });
  expect(setup.budget.waiting).toBe(1000);
});

test('a failing log fails the waiting requests, and the next request uses it again', async () => {
  let broken = true;
  const memory = new MemoryRateLog();
  const log: RateLog = {
    reserve: (...slot) => (broken ? Promise.reject(new Error('Disk full')) : memory.reserve(...slot)),
    freeze: (untilMs) => memory.freeze(untilMs),
  };
  const setup = useBudget({ log });
  await expect(setup.budget.take('interactive')).rejects.toThrow('Disk full');
  broken = false;
  await setup.budget.take('interactive');
});

test('disposing fails all waiting requests, permanently', async () => {
  const setup = useBudget({ limit: 1 });
  await setup.budget.take('interactive');
  const waiting = setup.budget.take('poll').catch((error: unknown) => error);
  setup.budget[Symbol.dispose]();
  expect(await waiting).toMatchObject({ code: 'closed' });
  await expect(setup.budget.take('poll')).rejects.toMatchObject({ code: 'closed' });
  expect(setup.clock.pendingTimers).toBe(0);
});
