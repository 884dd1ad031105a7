import { expect, test } from 'vitest';
import { Schedule } from './schedule.ts';

/** Returns how many inputs one worker tries on each target until `untilMs`. */
function tried(msPerInput: Readonly<Record<string, number>>, untilMs: number): Record<string, number> {
  const targets = Object.keys(msPerInput);
  const schedule = new Schedule({ targets, inputs: 100, seed: 1, workers: 1, batch: 10, untilMs });
  let nowMs = 0;
  for (let order = schedule.next(nowMs); order; order = schedule.next(nowMs)) {
    const { target, inputs } = order;
    const count = 'from' in inputs ? inputs.to - inputs.from : 0;
    const ms = count * (msPerInput[target] ?? 0);
    nowMs += ms;
    schedule.add(target, { tried: count, accepted: 0, ms });
  }
  return Object.fromEntries([...schedule.tallies].map(([name, tally]) => [name, tally.tried]));
}

test('all targets reach their number of inputs where the time is enough', () => {
  expect(tried({ slow: 50, fast: 1, slower: 80 }, 60_000)).toEqual({ slow: 100, fast: 100, slower: 100 });
});

test('the targets that can finish in time do, and the others share what is left', () => {
  expect(tried({ slow: 50, fast: 1, slower: 50, quick: 2 }, 5_300)).toEqual({
    slow: 50,
    fast: 100,
    slower: 50,
    quick: 100,
  });
});

test('each target is tried before the fast ones take the time', () => {
  expect(tried({ fast: 10, slow: 40 }, 500)).toEqual({ fast: 10, slow: 10 });
});
