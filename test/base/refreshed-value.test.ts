import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { RefreshedValue } from '../../src/base/refreshed-value.ts';

interface Bench {
  readonly clock: FakeClock;
  readonly kept: RefreshedValue<number>;
  /** The time at which each load started, in milliseconds since the test began. */
  readonly loadsAtMs: readonly number[];
  /** Completes the running load. */
  readonly answer: () => Promise<void>;
}

/** Creates a value that is loaded every 600 seconds, or at most every 15 seconds while it seems to be outdated. */
function useKept(): Bench {
  const clock = new FakeClock();
  const startMs = clock.now();
  const loadsAtMs: number[] = [];
  let end = Promise.withResolvers<void>();
  const kept = new RefreshedValue({
    load: async () => {
      loadsAtMs.push(clock.now() - startMs);
      await end.promise;
      return loadsAtMs.length;
    },
    clock,
    refreshMs: 600_000,
    retryMs: 15_000,
    onFailed: () => undefined,
  });
  onTestFinished(async () => {
    end.resolve();
    await kept[Symbol.asyncDispose]();
  });
  return {
    clock,
    kept,
    loadsAtMs,
    async answer() {
      const { length } = loadsAtMs;
      end.resolve();
      end = Promise.withResolvers();
      await expect.poll(() => kept.value).toBe(length);
    },
  };
}

test('loads at once when the value seems outdated, once for many calls', async () => {
  const { clock, kept, loadsAtMs, answer } = useKept();
  void kept.start();
  await answer();
  await clock.advance(100_000);

  kept.renew();
  kept.renew();
  await answer();
  for (let second = 0; second < 30; second += 1) {
    kept.renew();
    await clock.advance(1_000);
    if (loadsAtMs.length > (kept.value ?? 0)) await answer();
  }

  expect(loadsAtMs).toEqual([0, 100_000, 115_000, 130_000]);
});

test('loads once more for a call that came right after a load or during one', async () => {
  const { clock, kept, loadsAtMs, answer } = useKept();
  void kept.start();
  kept.renew();
  await answer();
  await clock.advance(15_000);
  await answer();

  await clock.advance(5_000);
  kept.renew();
  await clock.advance(10_000);
  await answer();
  await clock.advance(500_000);

  expect(loadsAtMs).toEqual([0, 15_000, 30_000]);
});
