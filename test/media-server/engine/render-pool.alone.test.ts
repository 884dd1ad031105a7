import { once } from 'node:events';
import { type Socket, createServer } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Timer } from '../../../src/base/clock.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { RenderPool, type RenderPoolOptions } from '../../../src/media-server/engine/pool/render-pool.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { noAbort } from './use-engine.ts';

class WatchedClock extends FakeClock {
  #next = Promise.withResolvers<void>();

  override after(delayMs: number, fire: () => void): Timer {
    this.#next.resolve();
    return super.after(delayMs, fire);
  }

  /** Resolves when the next timer is set. */
  nextTimer(): Promise<void> {
    this.#next = Promise.withResolvers();
    return this.#next.promise;
  }
}

async function usePool(options: Partial<RenderPoolOptions> = {}): Promise<RenderPool> {
  const workerUrl = new URL('stub-worker.ts', import.meta.url);
  const pool = await RenderPool.start({ workerUrl, workers: 1, ...options });
  onTestFinished(() => pool[Symbol.asyncDispose]());
  return pool;
}

test('a worker that dies fails its render and is replaced for the waiting ones', async () => {
  const pool = await usePool();
  const [dying, waiting] = [pool.run('exit', noAbort()), pool.run('next', noAbort())];
  await expect(dying).rejects.toMatchObject({ code: 'processing_failed' });
  await expect(waiting).resolves.toBe('next');
  await expect(pool.run('later', noAbort())).resolves.toBe('later');
});

test('a render over its time limit fails and its worker is replaced', async () => {
  const clock = new FakeClock();
  const pool = await usePool({ clock, renderTimeoutMs: 5000 });
  const outcomes = Promise.allSettled([pool.run('hang', noAbort())]);
  await clock.advance(5000);
  expect(await outcomes).toMatchObject([{ status: 'rejected', reason: { code: 'processing_failed' } }]);
  await expect(pool.run('next', noAbort())).resolves.toBe('next');
});

test('a render without progress is given up long before its time limit', async () => {
  const clock = new FakeClock();
  const pool = await usePool({ clock, renderTimeoutMs: 1_000_000, stallTimeoutMs: 1_000 });
  const outcomes = Promise.allSettled([pool.run('hang', noAbort())]);
  await clock.advance(1_000);
  expect(await outcomes).toMatchObject([
    { status: 'rejected', reason: { message: expect.stringContaining('no progress within 1000 ms') } },
  ]);
  await expect(pool.run('next', noAbort())).resolves.toBe('next');
});

test('progress gives a render more time', async () => {
  const clock = new WatchedClock();
  const pool = await usePool({ clock, renderTimeoutMs: 1_000_000, stallTimeoutMs: 1_000 });
  const path = join(await useFolder(), 'a.sock');
  await using server = createServer().listen(path);
  let ended = false;
  const outcomes = Promise.allSettled([pool.run(path, noAbort())]).finally(() => (ended = true));
  const [socket] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => void socket.destroy());
  await clock.advance(600);
  const armed = clock.nextTimer();
  socket.write('Go on');
  await armed;
  await clock.advance(600);
  expect(ended).toBe(false);
  await clock.advance(400);
  expect(await outcomes).toMatchObject([{ status: 'rejected' }]);
});

test('a worker sees no secret of the environment', async () => {
  vi.stubEnv('MEDIA_API_KEY', 'canary');
  onTestFinished(() => void vi.unstubAllEnvs());
  const pool = await usePool();
  const known = await pool.run('environment', noAbort());
  expect(known).toContain('PATH');
  expect(known).not.toContain('MEDIA_API_KEY');
});

test('an unexpected error fails its render as processing_failed, and the worker continues', async () => {
  const pool = await usePool();
  const worker = await pool.run('process', noAbort());
  await expect(pool.run('throw', noAbort())).rejects.toMatchObject({
    code: 'processing_failed',
    message: expect.stringContaining('Broken task'),
  });
  await expect(pool.run('process', noAbort())).resolves.toBe(worker);
});

test('renders beyond the queue’s limit are rejected at once', async () => {
  const pool = await usePool({ queueLimit: 1 });
  const [running, waiting] = [pool.run(1, noAbort()), pool.run(2, noAbort())];
  await expect(pool.run(3, noAbort())).rejects.toMatchObject({ code: 'processing_failed' });
  await expect(Promise.all([running, waiting])).resolves.toEqual([1, 2]);
});

test('an abort ends a waiting render at once and makes room for others', async () => {
  const pool = await usePool({ queueLimit: 1 });
  const controller = new AbortController();
  const running = pool.run(1, noAbort());
  const outcomes = Promise.allSettled([pool.run(2, controller.signal)]);
  controller.abort(new Error('No longer wanted'));
  expect(await outcomes).toMatchObject([{ status: 'rejected', reason: { message: 'No longer wanted' } }]);
  await expect(Promise.all([running, pool.run(3, noAbort())])).resolves.toEqual([1, 3]);
});

test('an abort stops a running render before it is reported, and the worker continues', async () => {
  const pool = await usePool();
  const worker = await pool.run('process', noAbort());
  const controller = new AbortController();
  const outcomes = Promise.allSettled([pool.run('until cancelled', controller.signal)]);
  await setImmediate();
  controller.abort(new Error('No longer wanted'));
  expect(await outcomes).toMatchObject([{ status: 'rejected', reason: { message: 'No longer wanted' } }]);
  await expect(pool.run('process', noAbort())).resolves.toBe(worker);
});

test('a render that ignores an abort loses its worker', async () => {
  const clock = new FakeClock();
  const pool = await usePool({ clock });
  const worker = await pool.run('process', noAbort());
  const controller = new AbortController();
  const outcomes = Promise.allSettled([pool.run('hang', controller.signal)]);
  await setImmediate();
  controller.abort(new Error('No longer wanted'));
  await clock.advance(5_000);
  expect(await outcomes).toMatchObject([{ status: 'rejected', reason: { message: 'No longer wanted' } }]);
  await expect(pool.run('process', noAbort())).resolves.not.toBe(worker);
});

test('stopping the pool fails running and waiting renders', async () => {
  const pool = await usePool();
  const renders = [pool.run('hang', noAbort()), pool.run('next', noAbort())];
  const outcomes = Promise.allSettled(renders);
  await pool[Symbol.asyncDispose]();
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'processing_failed' } });
  }
  await expect(pool.run('late', noAbort())).rejects.toMatchObject({ code: 'processing_failed' });
});

test('a worker that cannot start fails the start with its reason', async () => {
  const workerUrl = new URL('unable-worker.ts', import.meta.url);
  await expect(usePool({ workerUrl })).rejects.toThrow('No such package');
});
