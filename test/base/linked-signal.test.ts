import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { systemClock, withDeadline } from '../../src/base/clock.ts';
import { LinkedSignal } from '../../src/base/linked-signal.ts';
import { json, useClient, useStubApi } from '../media-api/use-stub-api.ts';

test('aborts with the reason of the first source', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  using linked = new LinkedSignal(first.signal, undefined, second.signal);

  second.abort('second');
  first.abort('first');

  expect(linked.signal.reason).toBe('second');
});

test('is aborted from the start if a source is', () => {
  using linked = new LinkedSignal(AbortSignal.abort('early'), new AbortController().signal);

  expect(linked.signal.reason).toBe('early');
});

test('releases its sources once it is disposed', () => {
  const source = new AbortController();
  const linked = new LinkedSignal(source.signal);
  linked[Symbol.dispose]();

  source.abort();

  expect(linked.signal.aborted).toBe(false);
  expect(getEventListeners(source.signal, 'abort')).toEqual([]);
});

test('a finished wait leaves no listener on a signal that is still in use', async () => {
  const longLived = new AbortController().signal;
  const seen: WeakRef<AbortSignal>[] = [];
  const look = async (signal: AbortSignal): Promise<void> => {
    seen.push(new WeakRef(signal));
    signal.addEventListener('abort', () => undefined);
  };

  for (let time = 0; time < 5; time++) await withDeadline(systemClock, 1_000, look, longLived);

  await collectGarbage();
  expect(seen.filter((reference) => reference.deref())).toEqual([]);
  expect(getEventListeners(longLived, 'abort')).toEqual([]);
});

test('a finished request leaves no listener on the signal of its caller', async () => {
  const stub = await useStubApi(json(200, { id: 's', status: 'queued', status_url: '/s' }));
  const api = useClient(stub);
  const longLived = new AbortController().signal;
  const job = { capability: 'photo_swap', body: '{}', idempotencyKey: 'key' } as const;

  for (let time = 0; time < 5; time++) await api.jobs.submit(job, { signal: longLived });

  expect(getEventListeners(longLived, 'abort')).toEqual([]);
});

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let time = 0; time < 3; time++) {
    await new Promise((resolve) => void setImmediate(resolve));
    collect();
  }
}
