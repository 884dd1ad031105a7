import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Socket, connect as openSocket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { WireUsageRecord } from '../../../src/media-api/wire.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { ApiClient } from '../api-client.ts';
import { useDatabase } from '../use-database.ts';
import { useServer } from '../use-server.ts';
import { connectStream, refusal, streamUrl } from './stream-client.ts';
import {
  balanceOf,
  openLive,
  openVoice,
  settled,
  streamingVoice,
  usageOf,
  useSessions,
} from './use-sessions.ts';

/** A close frame as a client sends it: masked, and without a reason. */
const CLOSE_FRAME = Buffer.from([0x88, 0x80, 0, 0, 0, 0]);

test('after kill -9 every open session is settled at its last recorded streaming time', async () => {
  const dataDir = await useFolder();
  const child = await useChildServer(dataDir);
  const database = useDatabase(dataDir);
  const { session } = await streamingVoice(child.api, { voice_profile_id: 'mirror' });
  const idle = await openVoice(child.api);
  const waiting = await openLive(child.api);
  await connectStream(idle);
  const noted = (): number =>
    database.all<{ ms: number }>('SELECT max(streamedMs) AS ms FROM sessions')[0]?.ms ?? 0;
  await vi.waitFor(() => expect(noted()).toBeGreaterThan(0));
  await child.kill();
  const ms = noted();
  const { api } = await useServer({ dataDir });
  const records = (await api.get('/usage')).json as WireUsageRecord[];
  const record = (id: string): unknown => records.find((one) => one.id === id);
  expect(record(session.session_id)).toMatchObject({
    status: 'succeeded',
    reason: 'cancelled',
    charged_usd: ms / 1e6,
  });
  for (const { session_id } of [idle, waiting]) {
    expect(record(session_id)).toMatchObject({ status: 'succeeded', reason: 'no_stream', charged_usd: 0 });
  }
  expect(Math.round((await balanceOf(api)) * 1e6)).toBe(25e6 - ms);
  expect(await refusal(streamUrl(waiting).replace(/:\d+\//, `:${new URL(api.baseUrl).port}/`))).toMatchObject(
    {
      status: 401,
    },
  );
});

test('a session that was only being opened when the server was killed never existed', async () => {
  const first = await useSessions();
  await openVoice(first.api);
  await first.server[Symbol.asyncDispose]();
  const database = useDatabase(first.dataDir);
  database.exec(`INSERT INTO sessions (id, accountId, feature, rate, seconds, block, createdAt)
    SELECT 'ses_opening', accountId, feature, rate, seconds, block, createdAt FROM sessions`);
  const { api } = await useServer({ dataDir: first.dataDir });
  expect((await api.get('/usage')).json).toHaveLength(1);
});

test('a server that stops closes and settles every session and releases their places', async () => {
  const used = await useSessions();
  const { api, clock, server, voices, faces, dataDir } = used;
  const { session, stream } = await streamingVoice(api, { voice_profile_id: 'mirror' });
  await openLive(api);
  await clock.advance(9_000);
  await server[Symbol.asyncDispose]();
  expect(await stream.closed).toEqual([1001, 'The server is stopping']);
  expect([voices.taken, faces.taken, clock.pendingTimers]).toEqual([0, 0, 0]);
  const next = await useServer({ dataDir });
  expect(await settled(next.api, session)).toMatchObject({
    status: 'succeeded',
    reason: 'cancelled',
    charged_usd: 0.009,
  });
});

test('a server stops although a client does not, and although an engine is still opening', async () => {
  const { api, server, faces } = await useSessions();
  const { stream } = await streamingVoice(api);
  stream.socket.pause();
  const asked = new Promise<void>((resolve) => {
    faces.open = async () => {
      resolve();
      return await new Promise<never>(() => undefined);
    };
  });
  const opening = api.post('/full-live-swap/session', { duration_minutes: 1 });
  await asked;
  const startedAt = performance.now();
  await server[Symbol.asyncDispose]();
  expect(performance.now() - startedAt).toBeLessThan(9_000);
  expect(await opening).toMatchObject({ status: 502, json: { error: { code: 'capacity_unavailable' } } });
});

async function useChildServer(dataDir: string): Promise<{ api: ApiClient; kill(): Promise<void> }> {
  const path = fileURLToPath(new URL('crash-child.ts', import.meta.url));
  const child = spawn(process.execPath, [path, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { baseUrl, apiKey } = JSON.parse(line.toString()) as { baseUrl: string; apiKey: string };
  return { api: new ApiClient(baseUrl, apiKey), kill };
}

test('connections that were refused or stay open after the close do not keep a server from stopping', async () => {
  const { api, server, clock } = await useSessions();
  const session = await openVoice(api);
  const path = new URL(streamUrl(session));
  const speak = async (target: string): Promise<Socket> => {
    const socket = openSocket({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    const lines = [
      `GET ${target} HTTP/1.1`,
      'host: x',
      'connection: upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
    ];
    socket.write([...lines, '', ''].join('\r\n'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(target === '/nothing' ? /^HTTP\/1.1 404/ : /^HTTP\/1.1 101/);
    return socket;
  };
  await speak('/nothing');
  const leaving = await speak(`${path.pathname}${path.search}`);
  leaving.write(CLOSE_FRAME);
  await vi.waitFor(async () => {
    await clock.advance(1_000);
    expect((await usageOf(api, session.session_id))?.status).toBe('succeeded');
  });
  const startedAt = performance.now();
  await server[Symbol.asyncDispose]();
  expect(performance.now() - startedAt).toBeLessThan(4_500);
});
