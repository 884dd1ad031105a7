import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Deed } from './hostile-child.ts';
import { useTaskPool } from './use-task-pool.ts';

const BREAKING: readonly Deed['do'][] = ['grow the heap', 'spin', 'exit', 'flood', 'babble'];

describe('a task that breaks its child', () => {
  test.each(BREAKING)('fails permanently, and the next task succeeds: %s', async (name) => {
    const { run } = useTaskPool();
    await expect(run({ do: name } as Deed)).rejects.toMatchObject({ code: 'child_broken' });
    expect(await run({ do: 'echo', text: 'next' })).toBe('next');
  });

  test('is tried once more if its child had completed other tasks before', async () => {
    const { run } = useTaskPool();
    const first = await run({ do: 'name' });
    await expect(run({ do: 'exit' })).rejects.toMatchObject({ code: 'child_broken' });
    expect(await run({ do: 'name' })).not.toBe(first);
  });

  test('is a task that takes too long', async () => {
    const { run } = useTaskPool({ timeoutMs: 500 });
    await expect(run({ do: 'hang' })).rejects.toMatchObject({ code: 'child_broken' });
  });
});

test('a task that fails does not end its child', async () => {
  const { run } = useTaskPool();
  const name = await run({ do: 'name' });
  await expect(run({ do: 'fail' })).rejects.toMatchObject({ code: 'task_failed', systemCode: null });
  expect(await run({ do: 'name' })).toBe(name);
});

test('a child is replaced after a number of tasks', async () => {
  const { run } = useTaskPool({ tasksMax: 2 });
  const names = [await run({ do: 'name' }), await run({ do: 'name' }), await run({ do: 'name' })];
  expect(names[1]).toBe(names[0]);
  expect(names[2]).not.toBe(names[0]);
});

test('tasks wait in a queue, and further tasks are rejected', async () => {
  const { run } = useTaskPool();
  const texts = ['a', 'b', 'c'];
  const done = Promise.all(texts.map((text) => run({ do: 'echo', text })));
  await expect(run({ do: 'echo', text: 'd' })).rejects.toMatchObject({ code: 'pool_full' });
  expect(await done).toEqual(texts);
});

test('many tasks of one owner do not delay others and fill at most half of the queue', async () => {
  const { pool } = useTaskPool({ childrenMax: 3, childrenPerOwner: 2, waitingMax: 8 });
  const stop = new AbortController();
  const hang = (): Promise<unknown> => pool.run({ do: 'hang' }, stop.signal, { owner: 'flood' });
  const hanging = Promise.allSettled(Array.from({ length: 6 }, hang));
  await expect(hang()).rejects.toMatchObject({ code: 'pool_full' });

  const text = 'quick';
  for (const owner of ['other', undefined]) {
    const many = Array.from({ length: 2 }, () => pool.run({ do: 'echo', text }, undefined, { owner }));
    expect(await Promise.all(many)).toEqual([text, text]);
  }

  stop.abort(new Error('No longer wanted'));
  expect(await hanging).toHaveLength(6);
});

test('the owner with the fewest running tasks is next, and a flood continues after all others', async () => {
  const { pool } = useTaskPool({ childrenMax: 2, waitingMax: 16 });
  const stop = new AbortController();
  const late = new AbortController();
  const flood = (signal: AbortSignal): Promise<unknown> =>
    pool.run({ do: 'hang' }, signal, { owner: 'flood' });
  const atWork = Promise.allSettled([flood(stop.signal), flood(late.signal)]);
  const waiting = Promise.allSettled(Array.from({ length: 6 }, () => flood(late.signal)));
  const done: string[] = [];
  const others = ['one', 'one', 'two', 'two'].map(async (owner) => {
    await pool.run({ do: 'name' }, undefined, { owner });
    done.push(owner);
  });

  // If the pool started a hanging task before one of the others, that other task would wait forever.
  stop.abort(new Error('No longer wanted'));
  await Promise.all(others);

  expect(done.toSorted()).toEqual(['one', 'one', 'two', 'two']);
  late.abort(new Error('No longer wanted'));
  await Promise.all([atWork, waiting]);
});

test('an abort ends running and waiting tasks and makes room for others', async () => {
  const { run } = useTaskPool();
  const stop = new AbortController();
  const outcomes = Promise.allSettled([run({ do: 'hang' }, stop.signal), run({ do: 'hang' }, stop.signal)]);
  stop.abort(new Error('No longer wanted'));
  expect(await outcomes).toMatchObject([
    { reason: { message: 'No longer wanted' } },
    { reason: { message: 'No longer wanted' } },
  ]);
  expect(await run({ do: 'echo', text: 'next' })).toBe('next');
});

test('a disposed pool leaves no process and rejects waiting and new tasks', async () => {
  const before = await processes();
  const { pool, run } = useTaskPool({ childrenMax: 2 });
  await Promise.all([run({ do: 'echo', text: 'a' }), run({ do: 'echo', text: 'b' })]);
  const outcomes = Promise.allSettled([run({ do: 'hang' }), run({ do: 'hang' }), run({ do: 'hang' })]);
  await pool[Symbol.asyncDispose]();
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'pool_closed' } });
  await expect(run({ do: 'name' })).rejects.toMatchObject({ code: 'pool_closed' });
  expect(await processes()).toEqual(before);
});

test('a module that cannot be loaded does not count as a failed task', async () => {
  const { run } = useTaskPool({ module: new URL('no-such-module.ts', import.meta.url) });
  await expect(run({ do: 'name' })).rejects.toMatchObject({ code: 'child_not_started' });
});

/** Returns the ids of this process's own child processes, if the system lists them. */
async function processes(): Promise<readonly string[]> {
  const path = `/proc/${process.pid}/task/${process.pid}/children`;
  const list = await readFile(path, 'utf8').catch(() => '');
  return list.split(' ').filter((pid) => pid !== '');
}
