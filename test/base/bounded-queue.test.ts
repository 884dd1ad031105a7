import { expect, test } from 'vitest';
import { BoundedQueue } from '../../src/base/bounded-queue.ts';

test('the first item in is the first out, and the limit is never exceeded', () => {
  const queue = new BoundedQueue<number>(2);
  expect([queue.push(1), queue.push(2), queue.push(3), queue.size]).toEqual([true, true, false, 2]);
  expect([queue.shift(), queue.push(4), queue.shift(), queue.shift(), queue.shift()]).toEqual([
    1,
    true,
    2,
    4,
    undefined,
  ]);
});

test('an item can be removed from the middle, which makes room', () => {
  const queue = new BoundedQueue<string>(3);
  for (const item of ['a', 'b', 'b']) queue.push(item);
  expect([queue.remove((item) => item === 'b'), queue.remove((item) => item === 'x')]).toEqual([true, false]);
  expect([queue.push('c'), queue.shift(), queue.shift(), queue.shift()]).toEqual([true, 'a', 'b', 'c']);
});

test.each([0, -1, 1.5, NaN])('rejects %s as a limit', (limit) => {
  expect(() => new BoundedQueue(limit)).toThrow(RangeError);
});
