import { once } from 'node:events';
import { type Server, createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { MediaApiUnreachable } from '../../src/media-api/errors.ts';
import { SessionSocket, type SocketLimits } from '../../src/media-api/session-socket.ts';
import { useStubStream } from './use-stub-stream.ts';

/** Records everything that is received over a socket. */
class Heard {
  readonly texts: string[] = [];
  readonly frames: Buffer[] = [];
  readonly ends: number[] = [];

  onText(text: string): void {
    this.texts.push(text);
  }

  onBinary(data: Buffer): void {
    this.frames.push(data);
  }

  onEnd(code: number): void {
    this.ends.push(code);
  }
}

async function connect(
  url: string,
  limits: Partial<SocketLimits> = {},
  clock = systemClock,
): Promise<{ readonly socket: SessionSocket; readonly heard: Heard }> {
  const heard = new Heard();
  const address = new URL(`${url}?session_token=secret`);
  const socket = await SessionSocket.connect(address, heard, { clock, limits });
  onTestFinished(() => socket.close());
  return { socket, heard };
}

const QUICK_PINGS = { pingMs: 40, unansweredMax: 2 };

test('sends nothing before the other side has sent a message, and then answers its pings', async () => {
  const stub = await useStubStream();
  const { socket, heard } = await connect(stub.url, QUICK_PINGS);
  await new Promise((resolve) => setTimeout(resolve, 250));
  const [stream] = stub.streams;
  expect(Buffer.concat(stream?.wire ?? [Buffer.of(1)])).toHaveLength(0);
  expect(stream?.request.headers['sec-websocket-extensions']).toBeUndefined();
  expect(stream?.request.headers).not.toHaveProperty('authorization');
  stream?.socket.send('hello');
  await vi.waitFor(() => expect(Buffer.concat(stream?.wire ?? []).length).toBeGreaterThan(20));
  expect(heard).toMatchObject({ texts: ['hello'], ends: [] });
  await socket.close();
  expect(heard.ends).toEqual([1000]);
});

test('receives data that arrives with the answer to the handshake, in order', async () => {
  const stub = await useStubStream(({ socket }) => {
    socket.send('one');
    socket.send(Buffer.of(1, 2, 3));
    socket.send(Buffer.alloc(0));
    socket.send('two');
  });
  const { heard } = await connect(stub.url);
  await vi.waitFor(() => expect(heard.texts).toEqual(['one', 'two']));
  expect(heard.frames).toEqual([Buffer.of(1, 2, 3)]);
});

test('ends a connection on which nobody answers, however quiet it is', async () => {
  const clock = new FakeClock();
  const stub = await useStubStream(({ socket }) => socket.send('hello'));
  const { heard } = await connect(stub.url, {}, clock);
  await vi.waitFor(() => expect(heard.texts).toHaveLength(1));
  stub.streams[0]?.stall();
  await clock.advance(14_999);
  expect(heard.ends).toEqual([]);
  await clock.advance(1);
  await vi.waitFor(() => expect(heard.ends).toEqual([1006]));
});

test('keeps a connection that is only quiet', async () => {
  const clock = new FakeClock();
  const stub = await useStubStream(({ socket }) => socket.send('hello'));
  const { heard } = await connect(stub.url, {}, clock);
  await vi.waitFor(() => expect(heard.texts).toHaveLength(1));
  let pings = 0;
  stub.streams[0]?.socket.on('ping', () => (pings += 1));
  for (let wanted = 1; wanted <= 12; wanted++) {
    await clock.advance(5_000);
    await vi.waitFor(() => expect(pings).toBe(wanted), { interval: 1 });
    // Waits for the answer to the ping to arrive.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(heard.ends).toEqual([]);
});

test.each([1000, 1001, 1008, 1011, 3000, 4000, 4321, 4999])('reports the end as %s', async (code) => {
  const stub = await useStubStream(({ socket }) => socket.close(code, 'because'));
  const { heard } = await connect(stub.url);
  await vi.waitFor(() => expect(heard.ends).toEqual([code]));
});

test('reports a close without a code and a cut connection as ends, once', async () => {
  const silent = await useStubStream(({ socket }) => socket.close());
  expect((await endOf(silent.url)).ends).toEqual([1005]);
  const cut = await useStubStream((stream) => setImmediate(() => stream.cut()));
  expect((await endOf(cut.url)).ends).toEqual([1006]);
  const broken = await useStubStream(({ request }) => void request.socket.write(Buffer.alloc(64, 0xff)));
  expect((await endOf(broken.url)).ends).toEqual([1006]);
});

async function endOf(url: string): Promise<Heard> {
  const { socket, heard } = await connect(url);
  await vi.waitFor(() => expect(heard.ends).toHaveLength(1));
  await socket.close();
  expect(socket.send('more', 1_000)).toBe(false);
  return heard;
}

test('ends the connection after a message that is too large', async () => {
  const stub = await useStubStream(({ socket }) => socket.send(Buffer.alloc(2_000)));
  const { heard } = await connect(stub.url, { messageBytesMax: 1_000 });
  await vi.waitFor(() => expect(heard.ends).toHaveLength(1));
  expect(heard.frames).toEqual([]);
});

test('queues data for a peer that does not read up to a limit, and drops the rest', async () => {
  const stub = await useStubStream((stream) => stream.stall());
  const { socket } = await connect(stub.url);
  const chunk = Buffer.alloc(4_096, 7);
  let sent = 0;
  let most = 0;
  // A minute of audio at 48 kHz consists of about 1,400 of these chunks; the test sends ten minutes.
  for (let index = 0; index < 14_000; index++) {
    if (socket.send(chunk, 65_536)) sent += 1;
    most = Math.max(most, socket.waitingBytes);
    if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(sent).toBeGreaterThan(10);
  expect(sent).toBeLessThan(7_000);
  expect(most).toBeLessThanOrEqual(65_536 + 16);
  expect(chunk.every((byte) => byte === 7)).toBe(true);
});

test('closes reliably and quickly, even if the other side does not answer', async () => {
  const stub = await useStubStream((stream) => stream.stall());
  const { socket, heard } = await connect(stub.url);
  const startedAt = systemClock.monotonic();
  await Promise.all([socket.close(), socket.close()]);
  expect(systemClock.monotonic() - startedAt).toBeLessThan(2_000);
  expect(heard.ends).toHaveLength(1);
});

async function useServer(server: Server | ReturnType<typeof createTcp>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/s`;
}

async function failureOf(work: Promise<unknown>): Promise<MediaApiUnreachable> {
  const error = await work.then(
    () => undefined,
    (failed: unknown) => failed,
  );
  if (!(error instanceof MediaApiUnreachable)) throw new TypeError('The call did not fail as expected');
  expect(`${error.message} ${String(error.cause)} ${error.stack}`).not.toContain('secret');
  return error;
}

test('gives up a server that does not answer the handshake', async () => {
  const clock = new FakeClock();
  let isConnected = false;
  const server = createTcp((peer) => {
    isConnected = true;
    peer.on('error', () => undefined);
    onTestFinished(() => void peer.destroy());
  });
  const failing = failureOf(connect(await useServer(server), {}, clock));
  await vi.waitFor(() => expect(isConnected).toBe(true));
  await clock.advance(10_000);
  expect(await failing).toMatchObject({ code: 'timed_out', phase: 'connect', ambiguous: false });
});

test.each([401, 503, 302])('fails with an answer of %s, and does not follow it', async (status) => {
  let requests = 0;
  const server = createHttp();
  server.on('upgrade', (_request, peer) => {
    requests += 1;
    peer.end(`HTTP/1.1 ${status} No\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n`);
  });
  const failed = await failureOf(connect(await useServer(server)));
  expect(failed).toMatchObject({ code: 'connection_failed', status });
  expect(requests).toBe(1);
});

test('fails if nobody listens, and if the caller aborts', async () => {
  const server = createTcp();
  const url = await useServer(server);
  server.close();
  expect(await failureOf(connect(url))).toMatchObject({ code: 'connection_failed' });
  const options = { clock: systemClock, signal: AbortSignal.abort(new Error('enough')) };
  const given = SessionSocket.connect(new URL(url), new Heard(), options);
  expect(await failureOf(given)).toMatchObject({ code: 'aborted' });
});
