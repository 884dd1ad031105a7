import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { JOB_LIMITS } from '../../../../src/bot/jobs/job-limits.ts';
import { type PollPlan, firstPollMs, nextPollMs } from '../../../../src/bot/jobs/steps/poll-plan.ts';
import { MemoryRateLog } from '../../../../src/media-api/memory-rate-log.ts';
import { RateBudget } from '../../../../src/media-api/rate-budget.ts';
import { seededRandom } from '../../../media-server/engine/seeded-random.ts';

interface Simulated {
  readonly looks: number;
  readonly jobs: number;
  /**
   * For each job whose webhook was lost, the time from its end until a check found that it had ended, in milliseconds.
   */
  readonly foundAfterMs: readonly number[];
}

interface Scene {
  readonly plan: Omit<PollPlan, 'limits'>;
  readonly durationMs: (random: () => number) => number;
  readonly isLost: (job: number) => boolean;
  readonly minutes: number;
  /** The number of jobs that are at the service at the same time. Default 100. */
  readonly inFlight?: number;
}

/**
 * Keeps `inFlight` jobs at the service for `minutes`, with 60 requests per minute. Each job takes 3 requests to start.
 */
async function simulate({ plan, durationMs, isLost, minutes, inFlight = 100 }: Scene): Promise<Simulated> {
  const clock = new FakeClock(0);
  const random = seededRandom(7);
  const log = new MemoryRateLog();
  const budget = new RateBudget({ log, clock, requestsPerMinute: 60, marginMs: 2_000, waitMsMax: 600_000 });
  onTestFinished(() => budget[Symbol.dispose]());
  const schedule: PollPlan = { ...plan, limits: JOB_LIMITS };
  const foundAfterMs: number[] = [];
  const endMs = minutes * 60_000;
  let looks = 0;
  let jobs = 0;
  const follow = (job: number, sentAtMs: number): void => {
    const endsAtMs = sentAtMs + durationMs(random);
    let isSeen = false;
    const seen = (): void => {
      isSeen = true;
      if (clock.now() < endMs) begin();
    };
    if (plan.webhooks && !isLost(job)) clock.after(endsAtMs - clock.now(), seen);
    const look = async (): Promise<void> => {
      if (isSeen || clock.now() >= endMs) return;
      await budget.take('poll');
      if (isSeen) return;
      looks += 1;
      if (clock.now() < endsAtMs) return again(nextPollMs(clock.now() - sentAtMs, schedule));
      foundAfterMs.push(clock.now() - endsAtMs);
      seen();
    };
    const again = (waitMs: number): void =>
      void clock.after(waitMs, () => void look().catch(() => undefined));
    again(sentAtMs + firstPollMs(schedule) - clock.now());
  };
  const begin = (): void => {
    const job = (jobs += 1);
    const send = async (): Promise<void> => {
      for (let request = 0; request < 3; request++) await budget.take('interactive');
      follow(job, clock.now());
    };
    send().catch(() => undefined);
  };
  // These jobs are already at the service when the simulation starts.
  for (let job = 0; job < inFlight; job++) follow((jobs += 1), -random() * 500_000);
  await clock.advance(endMs);
  return { looks, jobs, foundAfterMs };
}

const LEARNED = { p50Ms: 600_000, p95Ms: 640_000 };
const usual = (random: () => number): number => 560_000 + random() * 90_000;

test('with working webhooks, a job needs hardly any checks', async () => {
  const scene = await simulate({
    plan: { webhooks: true, times: LEARNED },
    durationMs: usual,
    isLost: () => false,
    minutes: 240,
  });
  expect(scene.jobs).toBeGreaterThan(1_000);
  expect(scene.looks / scene.jobs).toBeLessThanOrEqual(0.05);
});

test.each([1, 10])(
  'one webhook in %i lost is found within two minutes at 100 jobs in flight',
  async (inAll) => {
    const scene = await simulate({
      plan: { webhooks: true, times: LEARNED },
      durationMs: (random) => 600_000 + random() * 50_000,
      isLost: (job) => job % inAll === 0,
      minutes: 120,
    });
    expect(scene.foundAfterMs.length).toBeGreaterThan(50);
    const late = scene.foundAfterMs.filter((ms) => ms > 120_000);
    expect(late).toEqual([]);
  },
);

test('before times are learned, a lost webhook is noticed within two minutes with 30 jobs in flight', async () => {
  const scene = await simulate({
    plan: { webhooks: true, times: null },
    durationMs: usual,
    isLost: (job) => job % 20 === 0,
    minutes: 60,
    inFlight: 30,
  });
  expect(scene.foundAfterMs.length).toBeGreaterThan(5);
  expect(Math.max(...scene.foundAfterMs)).toBeLessThanOrEqual(120_000);
});

test('without webhooks, learned times save the checks that could not find an end', async () => {
  const ask = async (times: PollPlan['times']): Promise<Simulated> =>
    simulate({
      plan: { webhooks: false, times },
      durationMs: usual,
      isLost: () => true,
      minutes: 240,
      inFlight: 20,
    });
  const [learned, unlearned] = [await ask(LEARNED), await ask(null)];
  expect(learned.looks / learned.jobs).toBeLessThan((0.6 * unlearned.looks) / unlearned.jobs);
});

test('a service that became faster is noticed, because the first check comes before the usual end', () => {
  let times = { p50Ms: 600_000, p95Ms: 600_000 };
  for (let round = 0; round < 20; round++) {
    const seenMs = Math.max(30_000, firstPollMs({ times, webhooks: false, limits: JOB_LIMITS }));
    times = { p50Ms: seenMs, p95Ms: seenMs };
  }
  expect(times.p50Ms).toBeLessThan(45_000);
});

test('a job that does not end is checked less and less often, and every ten minutes after a day', () => {
  const plan: PollPlan = { times: null, webhooks: false, limits: JOB_LIMITS };
  const waits = [1_000, 20_000, 60_000, 3_600_000, 86_400_001].map((ageMs) => nextPollMs(ageMs, plan));
  expect(waits).toEqual([2_000, 5_000, 15_000, 30_000, 600_000]);
});

const planOf = (webhooks: boolean, p50Ms?: number, p95Ms?: number): PollPlan => {
  const times = p50Ms === undefined || p95Ms === undefined ? null : { p50Ms, p95Ms };
  return { times, webhooks, limits: JOB_LIMITS };
};

test.each([
  ['nothing is learned', planOf(false), 2_000],
  ['jobs end at once', planOf(false, 2_000, 3_000), 2_000],
  ['half of the jobs take 10 s', planOf(false, 10_000, 90_000), 8_000],
  ['webhooks come, and nothing is learned', planOf(true), 60_000],
  // The first check comes later than the end of nearly all jobs, by a margin of ten seconds, a quarter of their time,
  // or a minute.
  ['webhooks come for jobs of 20 s', planOf(true, 1, 20_000), 30_000],
  ['webhooks come for jobs of 100 s', planOf(true, 1, 100_000), 125_000],
  ['webhooks come for jobs of 400 s', planOf(true, 1, 400_000), 460_000],
])('where %s, a job is first checked in time', (_what, plan, waitMs) => {
  expect(firstPollMs(plan)).toBe(waitMs);
});

test.each([
  [planOf(false), 4_000, 2_000],
  [planOf(false), 40_000, 10_000],
  [planOf(false), 86_400_000, 30_000],
  [planOf(false), 86_400_001, 600_000],
  [planOf(false, 100_000, 140_000), 10_000, 10_000],
  [planOf(false, 100_000, 140_000), 139_999, 10_000],
  [planOf(false, 100_000, 110_000), 110_000, 27_500],
  [planOf(false, 100_000, 100_400), 80_000, 5_000],
  [planOf(true, 1, 100_000), 50_000, 75_000],
  [planOf(true, 1, 100_000), 124_999, 2_000],
  [planOf(true, 1, 100_000), 125_000, 31_250],
  [planOf(true, 1, 100_000), 500_000, 100_000],
  [planOf(true, 1, 100_000), 86_400_000, 100_000],
  [planOf(true, 1, 100_000), 86_400_001, 600_000],
  [planOf(true), 60_000, 60_000],
  [planOf(true), 300_000, 75_000],
])('under %o a job of %i ms is checked again after %i ms', (plan, ageMs, waitMs) => {
  expect(nextPollMs(ageMs, plan)).toBe(waitMs);
});
