import { expect, test, vi } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import type {
  WireChange,
  WireSessionRow,
  WireWebhookRow,
} from '../../../src/media-server/console/console-wire.ts';
import { parseUsd } from '../../../src/base/money.ts';
import { openMediaAdmin } from '../../../src/media-server/open-media-admin.ts';
import { ScalingVoices } from '../sessions/stream-engines.ts';
import { advanceAlive, settled, streamingVoice } from '../sessions/use-sessions.ts';
import { useReceiver } from '../use-receiver.ts';
import { ConsoleClient } from './console-client.ts';
import { useConsole } from './use-console.ts';

/** Receives changes up to the first one that `is` accepts, and returns it. */
async function until(
  changes: AsyncGenerator<WireChange>,
  is: (change: WireChange) => boolean,
): Promise<WireChange> {
  for (let next = await changes.next(); !next.done; next = await changes.next()) {
    if (is(next.value)) return next.value;
  }
  throw new TypeError('The console stopped sending changes');
}

test('a job, its webhook attempts and its money appear as they change, and only changes are sent', async () => {
  const { client, api } = await useConsole();
  const receiver = await useReceiver((response) => response.writeHead(500).end());
  const changes = client.changes(AbortSignal.timeout(20_000));
  expect((await changes.next()).value).toHaveProperty('switches');
  const { id } = await api.submit({ ...(await api.photoSwapBody()), callback_url: receiver.url });
  const tried = await until(changes, ({ webhooks }) => webhooks?.rows[0]?.tries[0]?.outcome === '500');
  expect(tried.switches).toBeUndefined();
  expect(tried.webhooks?.rows).toMatchObject([
    { jobId: id, state: 'pending', attempts: 1, attemptsMax: 6, origin: new URL(receiver.url).origin },
  ]);
  expect(JSON.stringify(tried)).not.toContain('/hook');
  const { jobs, totals } = await client.state();
  expect(jobs.rows).toMatchObject([{ id, status: 'succeeded', charged: 40_000, hold: 60_000 }]);
  expect(totals).toMatchObject({ available: 24_960_000, held: 0, jobsQueued: 0, webhooksPending: 1 });
});

test('each attempt of a webhook is shown with its times and its result, including a running one', async () => {
  const clock = new FakeClock();
  const { client, api, engine, server } = await useConsole({ clock });
  const answers = [500, 0, 204];
  const receiver = await useReceiver((response) => {
    const status = answers.shift();
    if (status) response.writeHead(status).end();
  });
  engine.pause();
  const { id } = await api.submit({ ...(await api.photoSwapBody()), callback_url: receiver.url });
  server.admin.cancelJob(id);
  const webhook = async (): Promise<WireWebhookRow | undefined> => (await client.state()).webhooks.rows[0];
  const startedAt = clock.now();
  const first = { number: 1, startedAt, endedAt: startedAt, outcome: '500' };
  const dueAt = startedAt + 30_000;
  await expect.poll(webhook).toMatchObject({ state: 'pending', attempts: 1, tries: [first], dueAt });
  await clock.advance(30_000);
  const second = { number: 2, startedAt: dueAt, endedAt: null, outcome: null };
  await expect.poll(webhook).toMatchObject({ attempts: 2, tries: [first, second], dueAt: null });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2));
  await clock.advance(10_000);
  const late = { ...second, endedAt: dueAt + 10_000, outcome: 'timeout' };
  await expect.poll(webhook).toMatchObject({ tries: [first, late], dueAt: dueAt + 70_000 });
  await clock.advance(60_000);
  const third = { number: 3, endedAt: clock.now(), outcome: '204' };
  await expect.poll(webhook).toMatchObject({ state: 'delivered', tries: [first, late, third], dueAt: null });
});

test('a session appears when it opens, streams and ends, with its cost', async () => {
  const clock = new FakeClock();
  const { client, api } = await useConsole({ clock, engines: { voiceSwap: new ScalingVoices() } });
  const changes = client.changes(AbortSignal.timeout(20_000));
  const row = (change: WireChange): WireSessionRow | undefined => change.sessions?.rows[0];
  const { session, stream } = await streamingVoice(api);
  await advanceAlive(clock, 10_000);
  const streaming = await until(changes, (change) => (row(change)?.streamedMs ?? 0) >= 9_000);
  const id = session.session_id;
  expect(row(streaming)).toMatchObject({ id, state: 'connected', charged: null, endedAt: null });
  stream.socket.close();
  await settled(api, session);
  await clock.advance(1_000);
  const ended = await until(changes, (change) => row(change)?.state === 'succeeded');
  expect(row(ended)?.charged).toBeGreaterThan(0);
  expect(ended.totals).toMatchObject({ sessionsOpen: 0 });
});

test('changes by another process appear, too', async () => {
  const { client, dataDir } = await useConsole();
  const changes = client.changes(AbortSignal.timeout(20_000));
  await changes.next();
  using opened = await openMediaAdmin({ dataDir });
  opened.admin.topUp(parseUsd('5'));
  const told = await until(changes, ({ accounts }) => accounts !== undefined);
  expect(told.accounts?.rows).toMatchObject([{ name: 'Embedded', available: 30_000_000 }]);
});

test('the number of listening pages is limited, a closed page makes room, and a server with listeners stops', async () => {
  const { client, server } = await useConsole();
  const stop = new AbortController();
  const listening = Array.from({ length: 16 }, () => client.changes(stop.signal));
  for (const changes of listening) await changes.next();
  const refused = await client.ask('GET', 'events');
  expect([refused.status, refused.json]).toEqual([
    429,
    { error: expect.objectContaining({ code: 'limited' }) },
  ]);
  expect((await client.ask('GET', 'session')).json).toEqual({ signedIn: true, isFull: true });
  stop.abort();
  await Promise.allSettled(listening.map((changes) => changes.next()));
  const again = new ConsoleClient(server.consoleUrl);
  again.cookie = client.cookie;
  await expect.poll(async () => await again.state().catch(() => undefined)).toHaveProperty('jobs');
  const changes = client.changes(AbortSignal.timeout(20_000));
  await changes.next();
  await server[Symbol.asyncDispose]();
  expect((await changes.next()).done).toBe(true);
});
