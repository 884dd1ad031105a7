import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ConnectionLimiter } from '../../src/base/connection-limiter.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { recordingLogger } from '../helpers/recording-logger.ts';

const SHARED = '127.0.0.1';
const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const PART = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc';
const UPGRADE = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';

interface Place {
  readonly clock: FakeClock;
  readonly lines: readonly string[];
  /** Open requests, to which the test itself responds. */
  readonly open: ServerResponse[];
  /** Opens a connection from an address of this machine; loopback callers can use any address in 127.0.0.0/8. */
  readonly enter: (from?: string) => Promise<Socket>;
  /** Opens a connection, sends `text`, and waits until the server has received it. */
  readonly ask: (text: string, from?: string) => Promise<Socket>;
}

/** Creates a server behind a connection limiter. Each address except `SHARED` counts as a single caller. */
async function useLimitedServer(
  limits: Pick<
    ConstructorParameters<typeof ConnectionLimiter>[1],
    'connectionsMax' | 'perAddressMax' | 'unansweredMax'
  >,
): Promise<Place> {
  const open: ServerResponse[] = [];
  const lines: string[] = [];
  const clock = new FakeClock();
  const server: Server = createServer((_request, response) => open.push(response));
  server.on('upgrade', (_request, socket) => socket.on('error', () => undefined));
  void new ConnectionLimiter(server, {
    ...limits,
    clock,
    logger: recordingLogger(lines),
    isShared: (address) => address === SHARED,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const enter = async (from = SHARED): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    await Promise.all([once(server, 'connection'), once(socket, 'connect')]);
    await clock.advance(1);
    return socket.resume();
  };
  const ask = async (text: string, from?: string): Promise<Socket> => {
    const socket = await enter(from);
    const seen = once(server, text === UPGRADE ? 'upgrade' : 'request');
    socket.write(text);
    await seen;
    return socket;
  };
  return { clock, lines, open, enter, ask };
}

const closed = (sockets: readonly Socket[]): boolean[] => sockets.map(({ closed: isClosed }) => isClosed);

test('closes a connection that sends more requests than may wait for an answer', async () => {
  const { ask, open, lines } = await useLimitedServer({
    connectionsMax: 3,
    perAddressMax: 9,
    unansweredMax: 2,
  });
  const patient = await ask(REQUEST.repeat(2));
  await expect.poll(() => open.length).toBe(2);

  const greedy = await ask(REQUEST.repeat(3));

  await expect.poll(() => closed([patient, greedy])).toEqual([false, true]);
  expect(lines).toEqual([expect.stringContaining('too_many_unanswered')]);
});

test('closes the connection that has been idle longest for a new one', async () => {
  const { enter, ask, open, lines } = await useLimitedServer({ connectionsMax: 3, perAddressMax: 9 });
  const first = await ask(REQUEST);
  const others = [await enter(), await enter()];
  open[0]?.end('answer');
  await once(first, 'data');

  const newcomer = await enter();

  await expect.poll(() => closed([first, ...others, newcomer])).toEqual([false, true, false, false]);
  expect(lines).toEqual([expect.stringContaining('room_for_others')]);
});

test.each([
  ['an idle connection before one that still sends', PART, 0],
  ['a connection that still sends before one that is being answered', REQUEST, 1],
])('closes %s', async (_what, second, victim) => {
  const { enter, ask, clock } = await useLimitedServer({ connectionsMax: 2, perAddressMax: 9 });
  const held = victim === 0 ? [await enter(), await ask(second)] : [await ask(second), await ask(PART)];
  await clock.advance(3_000);

  await enter();

  await expect.poll(() => closed(held)).toEqual(victim === 0 ? [true, false] : [false, true]);
});

test('closes connections whose requests are still arriving before it rejects a new one', async () => {
  const { enter, ask } = await useLimitedServer({ connectionsMax: 3, perAddressMax: 9 });
  const held = [await ask(PART), await ask(PART)];
  const honest = await enter();

  held.push(await enter());

  await expect.poll(() => closed([...held, honest])).toEqual([true, false, false, false]);
});

test('closes no connection with a running answer or a WebSocket, but the new connection if there is no other', async () => {
  const { ask, enter, clock } = await useLimitedServer({ connectionsMax: 2, perAddressMax: 9 });
  const held = [await ask(UPGRADE), await ask(REQUEST)];

  const refused = await enter();
  await expect.poll(() => refused.closed).toBe(true);
  expect(closed(held)).toEqual([false, false]);

  await clock.advance(11_000);
  const admitted = await enter();
  await expect.poll(() => closed([...held, admitted])).toEqual([false, true, false]);
});

test('closes a connection of the caller with the most connections, even if others have older ones', async () => {
  const { enter } = await useLimitedServer({ connectionsMax: 4, perAddressMax: 9 });
  const lonely = await enter('127.0.0.2');
  const many = [await enter('127.0.0.3'), await enter('127.0.0.3'), await enter('127.0.0.3')];

  const newcomer = await enter('127.0.0.4');

  await expect.poll(() => closed([lonely, ...many, newcomer])).toEqual([false, true, false, false, false]);
});

test('limits the connections of one address, unless many callers share it', async () => {
  const { enter, ask, lines } = await useLimitedServer({ connectionsMax: 99, perAddressMax: 3 });
  const shared = await Promise.all(Array.from({ length: 8 }, () => enter()));
  const own = [await ask(REQUEST, '127.0.0.2'), await enter('127.0.0.2'), await enter('127.0.0.2')];

  const newcomer = await enter('127.0.0.2');

  await expect.poll(() => closed([...own, newcomer])).toEqual([false, true, false, false]);
  expect(closed(shared)).not.toContain(true);
  expect(lines).toEqual([expect.stringContaining('too_many_of_one_caller')]);
});

test('logs many closed connections in a few lines', async () => {
  const { enter, lines, clock } = await useLimitedServer({ connectionsMax: 5, perAddressMax: 99 });
  for (let time = 0; time < 50; time++) await enter();
  await clock.advance(60_000);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain('count: 44');
});
