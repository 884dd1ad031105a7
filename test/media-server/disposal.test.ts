import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { useServer } from './use-server.ts';

/** Starts a server that accepts connections and sends nothing. Returns its URL and the open connections. */
async function useSilence(): Promise<{ readonly url: string; readonly open: ReadonlySet<Socket> }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on('error', () => undefined).on('close', () => open.delete(socket)));
    socket.resume();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, open };
}

test('a server that is stopped in the middle of work leaves no timer, connection or render', async () => {
  const clock = new FakeClock();
  const silence = await useSilence();
  const never = new Promise<never>(() => undefined);
  const { api, server, engine } = await useServer({ clock, renderWorkers: 2, resolve: () => never });
  const body = await api.photoSwapBody();
  engine.pause();
  for (const callback_url of [silence.url, 'http://unheard.localhost/hook', 'http://127.0.0.1:9/hook']) {
    const { id } = await api.submit({ ...body, callback_url });
    server.admin.cancelJob(id);
  }
  for (let count = 0; count < 3; count++) await api.submit(body);
  await vi.waitFor(() => expect(silence.open.size).toBe(1));
  expect(clock.pendingTimers).toBeGreaterThan(3);
  const startedAt = performance.now();
  await server[Symbol.asyncDispose]();
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  expect(clock.pendingTimers).toBe(0);
  await vi.waitFor(() => expect(silence.open.size).toBe(0));
});
