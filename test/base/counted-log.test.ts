import { expect, test } from 'vitest';
import { CountedLog, type CountedLine } from '../../src/base/counted-log.ts';
import { FakeClock } from '../helpers/fake-clock.ts';

type Reason = 'stale' | 'mismatch';

function useLog(): { clock: FakeClock; log: CountedLog<Reason>; lines: CountedLine<Reason>[] } {
  const clock = new FakeClock();
  const lines: CountedLine<Reason>[] = [];
  return { clock, lines, log: new CountedLog(clock, (line) => lines.push(line)) };
}

test('logs the first event of each reason at once, and the events of the next minute as one line', async () => {
  const { clock, log, lines } = useLog();
  for (let time = 0; time < 5_000; time++) log.add('mismatch');
  log.add('stale');
  expect(lines).toEqual([
    { reason: 'mismatch', count: 1 },
    { reason: 'stale', count: 1 },
  ]);

  await clock.advance(60_000);
  expect(lines.slice(2)).toEqual([{ reason: 'mismatch', count: 4_999 }]);
});

test('writes at most one line a minute for each reason, and counts every event', async () => {
  const { clock, log, lines } = useLog();
  for (let second = 0; second < 600; second++) {
    for (let time = 0; time < 10; time++) log.add('mismatch');
    await clock.advance(1_000);
  }
  await clock.advance(60_000);
  expect(lines.length).toBeLessThanOrEqual(12);
  expect(lines.reduce((sum, { count }) => sum + count, 0)).toBe(6_000);
});

test('has no timer when it is quiet, and logs the next event at once', async () => {
  const { clock, log, lines } = useLog();
  log.add('stale');
  await clock.advance(60_000);
  expect(clock.pendingTimers).toBe(0);
  log.add('stale');
  expect(lines).toHaveLength(2);
});

test('logs events that were only counted when it is disposed', () => {
  const { clock, log, lines } = useLog();
  for (let time = 0; time < 3; time++) log.add('stale');
  log[Symbol.dispose]();
  log[Symbol.dispose]();
  expect(lines).toEqual([
    { reason: 'stale', count: 1 },
    { reason: 'stale', count: 2 },
  ]);
  expect(clock.pendingTimers).toBe(0);
});
