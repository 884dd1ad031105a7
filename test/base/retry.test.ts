import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { backoffMs, retry } from '../../src/base/retry.ts';

const BACKOFF = { delayMsFirst: 100, delayMsMax: 1000 };

test('delays double up to a maximum, each varied over its upper half', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempt, random) => {
        const ceilingMs = Math.min(1000, 100 * 2 ** (attempt - 1));
        const delayMs = backoffMs(BACKOFF, attempt, () => random);
        expect(delayMs).toBeGreaterThanOrEqual(ceilingMs / 2);
        expect(delayMs).toBeLessThanOrEqual(ceilingMs);
      },
    ),
  );
});

test('work that fails twice is tried three times, with delays in between', async () => {
  const clock = new FakeClock();
  const startMs = clock.now();
  const triedAtMs: number[] = [];
  const options = { ...BACKOFF, clock, attemptsMax: 5, retryable: () => true, random: () => 1 };
  const result = retry(options, (attempt) => {
    triedAtMs.push(clock.now() - startMs);
    return attempt < 3 ? Promise.reject(new Error('Not yet')) : Promise.resolve('done');
  });
  await clock.advance(1000);
  expect(await result).toBe('done');
  expect(triedAtMs).toEqual([0, 100, 300]);
});

test('respects a delay that the other side requests', async () => {
  const clock = new FakeClock();
  let tries = 0;
  const options = { ...BACKOFF, clock, attemptsMax: 2, retryable: () => 5000 };
  const result = retry(options, () => Promise.reject(new Error(`Try ${++tries}`))).catch(
    (error: unknown) => error,
  );
  await clock.advance(4999);
  expect(tries).toBe(1);
  await clock.advance(1);
  expect(await result).toEqual(new Error('Try 2'));
});

test('work that cannot be retried is not repeated, and no work is repeated after an abort', async () => {
  const clock = new FakeClock();
  const fail = (): Promise<never> => Promise.reject(new Error('No'));
  const never = { ...BACKOFF, clock, attemptsMax: 5, retryable: () => false };
  await expect(retry(never, fail)).rejects.toThrow('No');
  const aborted = { ...never, retryable: () => true, signal: AbortSignal.abort() };
  await expect(retry(aborted, fail)).rejects.toThrow('No');
  expect(clock.pendingTimers).toBe(0);
});
