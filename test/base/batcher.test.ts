import { expect, test } from 'vitest';
import { Batcher, BatcherFull } from '../../src/base/batcher.ts';

test('work that is requested at the same time is done together, in order, up to the size of a batch', async () => {
  const batches: number[][] = [];
  const batcher = new Batcher<number, number>({
    sizeMax: 3,
    waitingMax: 10,
    run: (items) => {
      batches.push([...items]);
      return Promise.resolve(items.map((item) => item * 10));
    },
  });

  const results = await Promise.all([1, 2, 3, 4, 5].map((item) => batcher.add(item)));

  expect(results).toEqual([10, 20, 30, 40, 50]);
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

test('a failed batch rejects all its items, and the next one continues', async () => {
  let isBroken = true;
  const run = (items: readonly string[]): Promise<readonly string[]> =>
    isBroken ? Promise.reject(new Error('Disk full')) : Promise.resolve(items);
  const batcher = new Batcher({ sizeMax: 10, waitingMax: 10, run });

  const failed = await Promise.allSettled([batcher.add('a'), batcher.add('b')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await batcher.add('c')).toBe('c');
});

test('an item is refused at once if too many wait', async () => {
  const run = (items: readonly number[]): Promise<readonly number[]> => Promise.resolve(items);
  const batcher = new Batcher({ sizeMax: 1, waitingMax: 2, run });
  const waiting = [batcher.add(1), batcher.add(2)];
  await expect(batcher.add(3)).rejects.toBeInstanceOf(BatcherFull);
  expect(await Promise.all(waiting)).toEqual([1, 2]);
});
