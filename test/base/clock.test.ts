import { expect, test } from 'vitest';
import { DeadlineError, sleep, systemClock, withDeadline } from '../../src/base/clock.ts';
import { FakeClock } from '../helpers/fake-clock.ts';

test('a fake clock stands still until it is advanced, and then fires timers in order of time', async () => {
  const clock = new FakeClock(1000);
  const fired: string[] = [];
  clock.after(20, () => fired.push(`b at ${clock.now()}`));
  clock.after(10, () => fired.push(`a at ${clock.now()}`));
  clock.after(20, () => fired.push(`c at ${clock.now()}`));
  expect([clock.now(), clock.pendingTimers]).toEqual([1000, 3]);
  await clock.advance(19);
  expect(fired).toEqual(['a at 1010']);
  await clock.advance(1);
  expect(fired).toEqual(['a at 1010', 'b at 1020', 'c at 1020']);
});

test('a timer that is set by a timer or after an await fires during the same advance', async () => {
  const clock = new FakeClock();
  const startMs = clock.now();
  const fired: number[] = [];
  clock.after(10, () => {
    void sleep(clock, 10)
      .then(() => sleep(clock, 10))
      .then(() => fired.push(clock.now() - startMs));
  });
  await clock.advance(100);
  expect(fired).toEqual([30]);
});

test('a cancelled timer does not fire, and cancelling it again does nothing', async () => {
  const clock = new FakeClock();
  const timer = clock.after(10, () => expect.unreachable('It fired'));
  timer.cancel();
  timer.cancel();
  await clock.advance(20);
  expect(clock.pendingTimers).toBe(0);
});

test('a sleep ends when its signal aborts and leaves no timer', async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const ended = sleep(clock, 1000, controller.signal).catch((error: unknown) => error);
  controller.abort(new Error('Enough'));
  expect(await ended).toEqual(new Error('Enough'));
  expect(clock.pendingTimers).toBe(0);
  await expect(sleep(clock, 1, controller.signal)).rejects.toThrow('Enough');
});

test('a deadline ends a wait even when the work ignores its signal', async () => {
  const clock = new FakeClock();
  const ended = withDeadline(clock, 50, () => new Promise(() => undefined)).catch((error: unknown) => error);
  await clock.advance(50);
  expect(await ended).toEqual(new DeadlineError(50));
});

test('work that ends in time leaves no timer behind', async () => {
  const clock = new FakeClock();
  expect(await withDeadline(clock, 50, () => Promise.resolve('done'))).toBe('done');
  expect(clock.pendingTimers).toBe(0);
});

test('the system clock fires timers, cancels them, and its monotonic time does not decrease', async () => {
  const before = systemClock.monotonic();
  const cancelled = systemClock.after(0, () => expect.unreachable('It fired'));
  cancelled.cancel();
  await sleep(systemClock, 2);
  expect(systemClock.monotonic()).toBeGreaterThan(before);
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
});
