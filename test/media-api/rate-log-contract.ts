import { expect, test } from 'vitest';
import type { RateLog } from '../../src/media-api/rate-log.ts';

const START_MS = Date.UTC(2026, 0, 1);
const WINDOW_MS = 62_000;

/** Declares the tests of every `RateLog`; `useLog` creates an empty one and registers its clean-up. */
export function testRateLog(useLog: () => Promise<RateLog>): void {
  test('grants up to the limit, then returns when to ask again', async () => {
    const log = await useLog();
    for (let i = 0; i < 3; i++) {
      expect(await log.reserve(() => START_MS + i, WINDOW_MS, 3)).toEqual({ granted: true });
    }
    const denied = await log.reserve(() => START_MS + 10, WINDOW_MS, 3);
    expect(denied).toEqual({ granted: false, retryAtMs: START_MS + WINDOW_MS });
    expect(await log.reserve(() => START_MS + WINDOW_MS - 1, WINDOW_MS, 3)).toMatchObject({ granted: false });
    expect(await log.reserve(() => START_MS + WINDOW_MS, WINDOW_MS, 3)).toEqual({ granted: true });
    expect(await log.reserve(() => START_MS + WINDOW_MS, WINDOW_MS, 3)).toMatchObject({ granted: false });
  });

  test('counts all requests against the limit of each', async () => {
    const log = await useLog();
    for (let i = 0; i < 5; i++) await log.reserve(() => START_MS, WINDOW_MS, 10);
    const denied = await log.reserve(() => START_MS + 1, WINDOW_MS, 5);
    expect(denied.granted || denied.retryAtMs).toBeGreaterThan(START_MS + 1);
    expect(await log.reserve(() => START_MS + 1, WINDOW_MS, 6)).toEqual({ granted: true });
  });

  test('grants exactly the limit to many simultaneous requests', async () => {
    const log = await useLog();
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => log.reserve(() => START_MS, WINDOW_MS, 7)),
    );
    expect(answers.filter(({ granted }) => granted)).toHaveLength(7);
  });

  test('grants nothing while it is frozen, and the longer freeze applies', async () => {
    const log = await useLog();
    await log.freeze(START_MS + 5000);
    await log.freeze(START_MS + 2000);
    expect(await log.reserve(() => START_MS + 4999, WINDOW_MS, 9)).toEqual({
      granted: false,
      retryAtMs: START_MS + 5000,
    });
    expect(await log.reserve(() => START_MS + 5000, WINDOW_MS, 9)).toEqual({ granted: true });
  });

  test('recovers within a window after the wall clock was set back', async () => {
    const log = await useLog();
    const dayMs = 86_400_000;
    await log.reserve(() => START_MS + dayMs, WINDOW_MS, 1);
    const denied = await log.reserve(() => START_MS, WINDOW_MS, 1);
    expect(denied).toEqual({ granted: false, retryAtMs: START_MS + WINDOW_MS });
    expect(await log.reserve(() => START_MS + WINDOW_MS, WINDOW_MS, 1)).toEqual({ granted: true });
  });
}
