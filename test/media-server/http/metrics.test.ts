import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test, vi } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { ApiClient } from '../api-client.ts';
import { connectStream, refusal } from '../sessions/stream-client.ts';
import { openVoice, streamingVoice, useSessions } from '../sessions/use-sessions.ts';
import { useDatabase } from '../use-database.ts';
import { useReceiver } from '../use-receiver.ts';
import { type UsedServer, useServer } from '../use-server.ts';

/** Returns the samples by name and labels, as a scraper reads them. */
async function scrape({ server }: Pick<UsedServer, 'server'>): Promise<ReadonlyMap<string, number>> {
  const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  const text = await answer.text();
  const line = /^(?:# (?:HELP|TYPE) media_server_\w+ .+|media_server_\w+(?:\{[^{}]*\})? -?\d+(?:\.\d+)?)$/;
  const lines = text.trimEnd().split('\n');
  expect(lines.filter((each) => !line.test(each))).toEqual([]);
  const samples = lines.filter((each) => !each.startsWith('#'));
  return new Map(
    samples.map((each) => [each.slice(0, each.lastIndexOf(' ')), Number(each.split(' ').at(-1))]),
  );
}

test('a scrape contains requests by code, window use, jobs by state, webhook attempts and whether the ledger agrees', async () => {
  const used = await useServer({ clock: new FakeClock(), renderWorkers: 1, requestsPerMinute: 1_000 });
  const { api, engine, server } = used;
  const receiver = await useReceiver((response) =>
    response.writeHead(receiver.received.length > 1 ? 204 : 500).end(),
  );
  const body = await api.photoSwapBody();
  const bad = (await api.upload(Buffer.from('bad'))).json as { file_key: string };
  const done = await api.submit({ ...body, callback_url: receiver.url });
  expect((await api.ended(done.id)).status).toBe('succeeded');
  const failed = await api.submit({ ...body, face_key: bad.file_key, callback_url: receiver.url });
  await api.ended(failed.id);
  await api.get('/jobs/job_none');
  await new ApiClient(server.baseUrl, 'mk_wrong').get('/balance');
  engine.pause();
  for (let count = 0; count < 3; count++) await api.submit(body);
  await vi.waitFor(async () => {
    const outcomes = await scrape(used);
    expect(outcomes.get('media_server_webhook_attempts_total{outcome="failed"}')).toBe(1);
    expect(outcomes.get('media_server_webhook_attempts_total{outcome="delivered"}')).toBe(1);
  });

  const metrics = await scrape(used);
  const [key] = server.admin.listKeys();
  expect(Object.fromEntries(metrics)).toMatchObject({
    'media_server_requests_total{route="/api/v1/face-swap-image",status="200",code="ok"}': 5,
    'media_server_requests_total{route="/api/v1/uploads",status="200",code="ok"}': 3,
    'media_server_requests_total{route="/api/v1/jobs/:id",status="404",code="not_found"}': 1,
    'media_server_requests_total{route="/api/v1/balance",status="401",code="unauthorized"}': 1,
    'media_server_jobs{state="processing"}': 1,
    'media_server_jobs{state="queued"}': 2,
    'media_server_jobs_ended_total{feature="photo_swap",status="succeeded",code="ok"}': 1,
    'media_server_jobs_ended_total{feature="photo_swap",status="failed",code="unsupported_format"}': 1,
    media_server_render_workers: 1,
    media_server_webhooks_pending: 1,
    'media_server_ledger_difference_micro_usd{total="toppedUp"}': 0,
    'media_server_ledger_difference_micro_usd{total="spent"}': 0,
    'media_server_ledger_difference_micro_usd{total="held"}': 0,
    [`media_server_rate_window_limit{key="${key?.id}"}`]: 1_000,
  });
  expect(metrics.get(`media_server_rate_window_requests{key="${key?.id}"}`)).toBeGreaterThanOrEqual(9);
  engine.release();
});

test('the seconds of a session are counted by its capability once it is settled', async () => {
  const used = await useSessions();
  const { stream } = await streamingVoice(used.api);
  expect((await scrape(used)).get('media_server_sessions')).toBe(1);
  await used.clock.advance(7_000);
  stream.socket.close();
  await vi.waitFor(async () => {
    const metrics = await scrape(used);
    expect(metrics.get('media_server_sessions')).toBe(0);
    expect(metrics.get('media_server_session_seconds_total{feature="voice_swap"}')).toBe(7);
  });
});

test('accepted and refused streams are counted like other requests', async () => {
  const used = await useSessions();
  const session = await openVoice(used.api);
  await refusal(`${session.stream_url}?session_token=wrong`);
  await connectStream(session);
  await refusal(`${used.server.baseUrl.replace('http', 'ws')}/balance`);
  const counted = (labels: string): string => `media_server_requests_total{${labels}}`;
  expect(Object.fromEntries(await scrape(used))).toMatchObject({
    [counted('route="/api/v1/stream/:id",status="401",code="unauthorized"')]: 1,
    [counted('route="/api/v1/stream/:id",status="101",code="ok"')]: 1,
    [counted('route="/api/v1/stream/:id",status="404",code="not_found"')]: 1,
  });
});

test('a ledger that no longer adds up is reported', async () => {
  const used = await useServer();
  const database = useDatabase(used.dataDir);
  await scrape(used);
  database.exec('UPDATE accounts SET spent = spent + 7');
  expect((await scrape(used)).get('media_server_ledger_difference_micro_usd{total="spent"}')).toBe(7);
  database.exec('UPDATE accounts SET spent = spent - 7');
  await used.api.ended((await used.api.submit(await used.api.photoSwapBody())).id);
  expect((await scrape(used)).get('media_server_ledger_difference_micro_usd{total="spent"}')).toBe(0);
});

test('requests that are not HTTP are counted too, and a scrape contains no secret', async () => {
  const used = await useServer();
  const socket = connect(used.server.port, '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
  await new Promise((resolve) => socket.on('close', resolve).resume());
  const metrics = await scrape(used);
  expect(metrics.get('media_server_requests_total{route="none",status="400",code="invalid_input"}')).toBe(1);
  const text = [...metrics.keys()].join('\n');
  for (const secret of [used.server.apiKey, used.server.signingSecret]) expect(text).not.toContain(secret);
});

test('only a direct caller on this machine gets metrics', async () => {
  const { server } = await useServer({ host: '0.0.0.0' });
  const root = new ApiClient(`http://127.0.0.1:${server.port}`);
  for (const headers of [
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=127.0.0.1' },
    { via: '1.1 proxy' },
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-host': 'localhost' },
  ]) {
    expect(await root.request('/metrics', { headers })).toMatchObject({
      status: 404,
      json: { error: { code: 'not_found' } },
    });
  }
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal);
  if (outside) {
    expect((await fetch(`http://${outside.address}:${server.port}/metrics`)).status).toBe(404);
    expect((await fetch(`http://${outside.address}:${server.port}/healthz`)).status).toBe(200);
  }
});

test('metrics are served by the names of this machine only, because a page or a proxy uses another name', async () => {
  const { server } = await useServer();
  const statusAs = async (host: string): Promise<number | undefined> => {
    const asked = request({ port: server.port, path: '/metrics', headers: { host } }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  for (const host of ['localhost', `127.0.0.1:${server.port}`, '[::1]:80']) {
    expect([host, await statusAs(host)]).toEqual([host, 200]);
  }
  for (const host of ['media.example', '127.0.0.1.example:80', '10.0.0.1']) {
    expect([host, await statusAs(host)]).toEqual([host, 404]);
  }
});
