import { expect, test } from 'vitest';
import type { Clock, Timer } from '../../../../src/base/clock.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { DeadlineTicker } from '../../../../src/bot/sessions/voice-swap/deadline-ticker.ts';

/** A clock whose timers fire late, as in a busy process. */
class BusyClock implements Clock {
  #nowMs = 0;
  #pending: { readonly atMs: number; readonly fire: () => void } | undefined;
  /** Returns how late the next timer fires, in milliseconds. */
  lateMs: () => number = () => 0;

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  after(delayMs: number, fire: () => void): Timer {
    this.#pending = { atMs: this.#nowMs + Math.max(0, delayMs), fire };
    return { cancel: () => (this.#pending = undefined) };
  }

  /** Fires the next timer. Returns false if there is none. */
  step(): boolean {
    const pending = this.#pending;
    if (!pending) return false;
    this.#pending = undefined;
    this.#nowMs = Math.max(this.#nowMs, pending.atMs + this.lateMs());
    pending.fire();
    return true;
  }
}

function run(
  lateMs: (n: number) => number,
  calls: number,
): { times: number[]; ticker: DeadlineTicker; missed: number } {
  const clock = new BusyClock();
  const times: number[] = [];
  let missed = 0;
  const ticker = new DeadlineTicker(clock, 20, (nowMs, before) => {
    times.push(nowMs);
    missed += before;
    return times.length < calls;
  });
  clock.lateMs = () => lateMs(times.length);
  ticker.start(100);
  for (let n = 0; n < 2 * calls && clock.step(); n++);
  return { times, ticker, missed };
}

test('late calls do not delay later ones: there is no drift within an hour', () => {
  const { times, ticker, missed } = run((n) => (n * 7) % 13, 180_000);
  expect(times).toHaveLength(180_000);
  expect((times.at(-1) ?? 0) - 100 - 179_999 * 20).toBeLessThan(13);
  expect(ticker.latenessMs(0.99)).toBeLessThanOrEqual(12);
  expect(missed).toBe(0);
});

test('catches up after a short delay, but not after a standstill', () => {
  const { times, missed } = run((n) => (n === 3 ? 45 : n === 10 ? 500 : 0), 14);
  expect(times.slice(0, 8)).toEqual([100, 120, 140, 205, 205, 205, 220, 240]);
  expect(times.slice(10)).toEqual([800, 820, 840, 860]);
  expect(missed).toBe(25);
});

test('stops when it has nothing to do, and can be moved and started again', async () => {
  const clock = new FakeClock(0);
  const times: number[] = [];
  const ticker = new DeadlineTicker(clock, 20, (nowMs) => times.push(nowMs) % 3 !== 0);
  ticker.start(10);
  await clock.advance(200);
  expect([times, ticker.isRunning, clock.pendingTimers]).toEqual([[10, 30, 50], false, 0]);
  ticker.start(205);
  await clock.advance(5);
  ticker.start(215);
  await clock.advance(100);
  expect(times.slice(3)).toEqual([205, 215, 235]);
});
