import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { PageError } from '../../../src/base/pages/built-page.ts';
import { silentLogger } from '../../../src/base/log.ts';
import {
  type WebServer,
  addToHost,
  assertNotListening,
  createWebServer,
} from '../../../src/bot/web/web-server.ts';

/** Starts the program's own server: `/caller` answers with the caller's address, and `/never` does not answer. */
async function useServer(): Promise<WebServer & { readonly port: number }> {
  const server = createWebServer({
    host: '127.0.0.1',
    port: 0,
    connectionsPerAddress: 10,
    log: silentLogger,
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  server.fastify.get('/caller', (request) => request.ip);
  server.fastify.get('/never', () => new Promise<never>(() => undefined));
  return Object.assign(server, { port: Number(new URL(await server.listen()).port) });
}

/** Sends the text over one connection, and returns everything received until it is closed. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  let heard = '';
  socket.on('data', (data: Buffer) => (heard += data.toString('latin1')));
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return heard;
}

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ['203.0.113.7, 10.1.2.3', '203.0.113.7'],
  ['2a00:1450::1', '2a00:1450::1'],
])('uses the address of a caller that the proxy beside it reports: "%s"', async (forwarded, address) => {
  const { port } = await useServer();
  const answer = await fetch(`http://127.0.0.1:${port}/caller`, {
    headers: { 'x-forwarded-for': forwarded },
  });
  expect(await answer.text()).toBe(address);
});

test('closes a connection after a hundred requests', async () => {
  const { port } = await useServer();
  const socket = connect({ port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  let heard = '';
  socket.on('data', (data: Buffer) => (heard += data.toString('latin1')));
  let answers = 0;
  for (; answers < 100; answers++) {
    socket.write('GET /caller HTTP/1.1\r\nhost: x\r\n\r\n');
    const wanted = answers + 1;
    await expect.poll(() => heard.split('HTTP/1.1 200').length - 1, { interval: 1 }).toBe(wanted);
    if (wanted === 99) expect(heard.toLowerCase()).not.toContain('connection: close');
  }
  await expect.poll(() => socket.closed || heard.toLowerCase().includes('connection: close')).toBe(true);
});

test('answers a caller that violates HTTP, and closes its connection', async () => {
  const { port } = await useServer();
  expect(await exchange(port, 'nonsense\r\n\r\n')).toContain('400 Bad Request');
});

test('closes idle connections and those that wait for an answer as it is disposed, and can be disposed twice', async () => {
  const server = await useServer();
  const ask = (path: string): Socket => {
    const socket = connect({ port: server.port, host: '127.0.0.1' }).resume();
    socket.on('error', () => undefined).write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    return socket;
  };
  const idle = ask('/caller');
  await once(idle, 'data');
  const waiting = ask('/never');
  await once(server.fastify.server, 'request');

  const closed = Promise.all([once(idle, 'close'), once(waiting, 'close')]);
  await server[Symbol.asyncDispose]();
  await closed;
  await server[Symbol.asyncDispose]();

  await expect(fetch(`http://127.0.0.1:${server.port}/caller`)).rejects.toThrow();
});

test('reports that its port is in use', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const server = createWebServer({ host: '127.0.0.1', port, connectionsPerAddress: 10, log: silentLogger });
  onTestFinished(() => server[Symbol.asyncDispose]());
  await expect(server.listen()).rejects.toMatchObject({ code: 'port_in_use' });
});

test('adds its routes to a host’s server below a prefix, once and before it listens', async () => {
  const host = fastify();
  onTestFinished(() => host.close());
  host.get('/own', () => 'the host');
  const plugin = async (scope: FastifyInstance): Promise<void> => void scope.get('/own', () => 'ours');
  expect(() => assertNotListening(host)).not.toThrow();

  await addToHost(host, plugin, '/ours');

  expect([(await host.inject('/own')).payload, (await host.inject('/ours/own')).payload]).toEqual([
    'the host',
    'ours',
  ]);
  await expect(addToHost(host, plugin, '/late')).rejects.toMatchObject({ code: 'host_refused' });
  await host.listen({ host: '127.0.0.1', port: 0 });
  expect(() => assertNotListening(host)).toThrow('it is already listening');
});

test('reports which routes a host’s server rejects, and passes on that a page was not built', async () => {
  const host = fastify();
  onTestFinished(() => host.close().catch(() => undefined));
  const twice = async (scope: FastifyInstance): Promise<void> => {
    scope.get('/same', () => 'one');
    scope.get('/same', () => 'two');
  };
  const refused = await addToHost(host, twice, '/ours').catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'host_refused',
    message: expect.stringContaining('FST_ERR_DUPLICATED_ROUTE') as unknown,
  });
  expect(refused).toHaveProperty('cause.code', 'FST_ERR_DUPLICATED_ROUTE');

  const other = fastify();
  onTestFinished(() => other.close().catch(() => undefined));
  const unbuilt = new PageError('not_built', 'Cannot open the page');
  const fails = (): Promise<void> => Promise.reject(unbuilt);
  await expect(addToHost(other, fails, '/ours')).rejects.toBe(unbuilt);
});
