import { once } from 'node:events';
import { ServerResponse, createServer, get } from 'node:http';
import { type AddressInfo, Socket, connect } from 'node:net';
import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { takeUpgrades } from '../../../../src/bot/web/live/take-upgrades.ts';
import { PageClient } from './page-client.ts';
import { aPicture, linkIn, live, useLiveCommunity } from './use-live-swap.ts';

test('works in the server of a host, below its prefix, and leaves other sockets and requests alone', async () => {
  const server = fastify();
  const port = await freePort();
  const own = new WebSocketServer({ noServer: true });
  server.server.on('upgrade', (request, socket, head) => {
    if (request.url === '/chat') own.handleUpgrade(request, socket, head, (chat) => chat.send('the host'));
  });
  // This listener acts like a WebSocket plugin that passes all requests to routes.
  server.server.on('upgrade', (request, socket) => {
    if (request.url === '/chat' || !(socket instanceof Socket)) return;
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    server.routing(request, response);
  });
  server.get('/hello', () => 'the host');
  onTestFinished(() => server.close());
  const listeners = server.server.listenerCount('upgrade');
  const place = await useLiveCommunity({
    bot: (usual) => ({
      ...usual,
      http: { fastify: server, prefix: '/swap' },
      publicUrl: `http://127.0.0.1:${port}/swap`,
    }),
  });
  await server.listen({ host: '127.0.0.1', port });

  const link = linkIn(await live(place.ada, place, 'start', { minutes: 1 }));
  const page = await PageClient.enter(link);
  await page.goesLive();
  await page.seesOne(await aPicture());
  const chat = new WebSocket(`ws://127.0.0.1:${port}/chat`);
  const said = await new Promise((resolve) =>
    chat.once('message', (data: Buffer) => resolve(data.toString())),
  );
  const held = connect({ port, host: '127.0.0.1' }).resume();
  held.write('GET /swap/live/socket HTTP/1.1\r\nhost: x\r\nupgrade: x\r\n\r\n');
  await once(held, 'close');
  const ended = page.is('ended');
  await place.bot[Symbol.asyncDispose]();

  expect(new URL(link).pathname).toBe('/swap/live/');
  expect(said).toBe('the host');
  expect(await ended).toMatchObject({ why: 'shutdown' });
  expect(server.server.listenerCount('upgrade')).toBe(listeners);
  expect(chat.readyState).toBe(WebSocket.OPEN);
  chat.terminate();
  expect((await fetch(`http://127.0.0.1:${port}/hello`)).status).toBe(200);
});

test('answers a request that offers another protocol as if it offered none', async () => {
  const server = createServer((_request, response) => response.end('the host'));
  using taken = takeUpgrades(server, {
    isOurs: (path) => path === '/ours',
    take: (_r, socket) => socket.destroy(),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const ask = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': '' };
      const request = get({ port, path: '/other', headers, agent: false }, (response) => {
        response.setEncoding('utf8').once('data', resolve);
      });
      request.once('error', reject);
    });

  const asked = await ask();
  // This makes the server behave as it does in Node.js versions without the callback.
  Object.assign(server, { shouldUpgradeCallback: () => true });
  const unasked = await ask();

  expect([asked, unasked]).toEqual(['the host', 'the host']);
  taken[Symbol.dispose]();
  expect(server.listenerCount('upgrade')).toBe(0);
});

test.each([
  ['that asks before it accepts a connection', undefined],
  ['that accepts every connection with such an offer', () => true],
])('survives broken and half-open offers of another protocol on a Node.js %s', async (_which, callback) => {
  const server = createServer((_request, response) => setImmediate(() => response.end('the host')));
  using taken = takeUpgrades(server, { isOurs: () => false, take: (_r, socket) => socket.destroy() });
  expect(taken).toBeDefined();
  if (callback) Object.assign(server, { shouldUpgradeCallback: callback });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const offer = async (): Promise<[mine: Socket, theirs: Socket]> => {
    const mine = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const [theirs] = (await once(server, 'connection')) as [Socket];
    const headers = 'host: x\r\nconnection: close, upgrade\r\nupgrade: x\r\ncontent-length: 1000';
    mine.write(`GET /other HTTP/1.1\r\n${headers}\r\n\r\n`);
    return [mine, theirs];
  };

  const broken = await offer();
  broken[0].resetAndDestroy();
  const halfOpen = await offer();
  const [answer] = (await once(halfOpen[0], 'data')) as [Buffer];

  expect(answer.toString()).toContain('200 OK');
  await expect.poll(() => [broken[1].closed, halfOpen[1].closed]).toEqual([true, true]);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
