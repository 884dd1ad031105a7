import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type Socket, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import type { DeliveryRow } from '../../../src/media-server/store/deliveries.ts';
import { settled, streamingVoice, useSessions } from '../sessions/use-sessions.ts';
import { useDatabase } from '../use-database.ts';
import { type Received, type Receiver, useReceiver } from '../use-receiver.ts';
import { type UsedServer, useServer } from '../use-server.ts';

/** Checks a signature without the project's own code, only as the API document describes it. Returns its `t`. */
function verify(delivery: Received, secret: string, prefix: string = 'service'): number {
  const header = String(delivery.headers[`${prefix}-signature`]);
  const t = /^t=(\d+),v1=[0-9a-f]{64}/.exec(header)?.[1] ?? '';
  const signed = Buffer.concat([Buffer.from(`${t}.`), delivery.raw]);
  expect(header).toContain(`v1=${createHmac('sha256', secret).update(signed).digest('hex')}`);
  return Number(t);
}

/** Submits a job with a webhook, and cancels the job before it renders. */
async function cancelledJob({ api, server, engine }: UsedServer, callbackUrl: string): Promise<string> {
  engine.pause();
  const { id } = await api.submit({ ...(await api.photoSwapBody()), callback_url: callbackUrl });
  server.admin.cancelJob(id);
  return id;
}

/** Waits until the delivery has the properties in `want`. */
async function deliveryOf(
  server: UsedServer['server'],
  id: string,
  want: Partial<DeliveryRow>,
): Promise<DeliveryRow> {
  return await vi.waitFor(() => {
    const delivery = server.admin.delivery(id);
    expect(delivery).toMatchObject(want);
    return delivery as DeliveryRow;
  });
}

test.each([
  ['succeeded', 'job.succeeded'],
  ['failed', 'job.failed'],
] as const)('a job that %s is announced once, signed, with what GET shows', async (status, event) => {
  const used = await useServer({ clock: new FakeClock(), headerPrefix: 'Acme' });
  const receiver = await useReceiver();
  const body = await used.api.photoSwapBody();
  const bad = (await used.api.upload(Buffer.from('bad'))).json as { file_key: string };
  const { id } = await used.api.submit({
    ...body,
    ...(status === 'failed' && { face_key: bad.file_key }),
    callback_url: receiver.url,
  });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
  const [delivery] = receiver.received as [Received];
  verify(delivery, used.server.signingSecret, 'acme');
  expect(delivery.headers).toMatchObject({
    'content-type': 'application/json',
    'acme-event': event,
    'acme-delivery': delivery.body.delivery_id,
  });
  expect(Object.keys(delivery.body)).toEqual(['event', 'sent_at', 'delivery_id', 'data']);
  expect(delivery.body).toMatchObject({ event, sent_at: '2026-01-01T00:00:00.000Z' });
  expect(delivery.body.data).toEqual(await used.api.job(id));
  await deliveryOf(used.server, id, { state: 'delivered', attempts: 1 });
});

test('a job without callback_url is not announced', async () => {
  const { api, server } = await useServer();
  const { id } = await api.submit(await api.photoSwapBody());
  await api.ended(id);
  expect(server.admin.delivery(id)).toBeUndefined();
});

test('sessions are not announced, whatever their open requests', async () => {
  const used = await useSessions();
  const receiver = await useReceiver();
  const { session, stream } = await streamingVoice(used.api, { callback_url: receiver.url });
  stream.socket.close();
  await settled(used.api, session);
  await used.clock.advance(60_000);
  expect(receiver.received).toHaveLength(0);
  expect(useDatabase(used.dataDir).count('deliveries')).toBe(0);
});

test('a webhook may be sent before reconciliation: the charge is null in it, and the next GET settles the job', async () => {
  const { api } = await useServer({ reconcileBeforeWebhook: false });
  const receiver = await useReceiver();
  const { id } = await api.submit({ ...(await api.photoSwapBody()), callback_url: receiver.url });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
  expect(receiver.received[0]?.body.data).toMatchObject({ status: 'succeeded', charged_usd: null });
  expect((await api.job(id)).charged_usd).toBe(0.04);
});

test('a failing receiver is tried 6 times over about 15 minutes, and each attempt is signed for its own time', async () => {
  const clock = new FakeClock();
  const used = await useServer({ clock });
  const receiver = await useReceiver((response) => response.writeHead(500).end());
  const id = await cancelledJob(used, receiver.url);
  const startedAt = clock.now();
  const delays: number[] = [];
  for (let attempt = 1; attempt < 6; attempt++) {
    const expectedDelay = 30_000 * 2 ** (attempt - 1);
    await deliveryOf(used.server, id, {
      attempts: attempt,
      lastOutcome: '500',
      dueAt: clock.now() + expectedDelay,
    });
    delays.push(expectedDelay);
    await clock.advance(expectedDelay - 1);
    expect(receiver.received).toHaveLength(attempt);
    await clock.advance(1);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(attempt + 1));
    const latest = receiver.received[attempt] as Received;
    expect(verify(latest, used.server.signingSecret)).toBe(Math.floor(clock.now() / 1000));
  }
  await deliveryOf(used.server, id, { state: 'abandoned', attempts: 6 });
  expect(delays).toEqual([30_000, 60_000, 120_000, 240_000, 480_000]);
  expect(clock.now() - startedAt).toBe(930_000);
  expect(new Set(receiver.received.map(({ body }) => body.delivery_id)).size).toBe(1);
  await clock.advance(3_600_000);
  expect(receiver.received).toHaveLength(6);
});

test.each([
  [200, 'delivered'],
  [204, 'delivered'],
  [299, 'delivered'],
  [300, 'pending'],
  [301, 'pending'],
  [307, 'pending'],
  [404, 'pending'],
  [410, 'pending'],
  [500, 'pending'],
])('status %i leaves a webhook %s, and no redirect is followed', async (status, state) => {
  const used = await useServer({ clock: new FakeClock() });
  const elsewhere = await useReceiver();
  const receiver = await useReceiver((response) =>
    response.writeHead(status, { location: elsewhere.url }).end(),
  );
  const id = await cancelledJob(used, receiver.url);
  await deliveryOf(used.server, id, { state: state as DeliveryRow['state'], lastOutcome: String(status) });
  expect(elsewhere.received).toHaveLength(0);
});

test('an attempt waits 10 seconds for an answer', async () => {
  const clock = new FakeClock();
  const used = await useServer({ clock });
  const receiver = await useReceiver(() => undefined);
  const id = await cancelledJob(used, receiver.url);
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
  await clock.advance(9_999);
  expect(used.server.admin.delivery(id)).toMatchObject({ lastOutcome: null });
  await clock.advance(1);
  await deliveryOf(used.server, id, {
    lastOutcome: 'timeout',
    state: 'pending',
    dueAt: clock.now() + 30_000,
  });
});

test('an endless answer to an attempt is not read to its end', async () => {
  const used = await useServer({ clock: new FakeClock() });
  let written = 0;
  const receiver = await useReceiver((response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && written < 2 ** 28) {
        written += 65_536;
        if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more);
      }
    };
    more();
  });
  const id = await cancelledJob(used, receiver.url);
  await deliveryOf(used.server, id, { state: 'delivered', lastOutcome: '200' });
  expect(written).toBeLessThan(2 ** 25);
});

test('an unreachable receiver is tried again', async () => {
  const used = await useServer({ clock: new FakeClock() });
  const id = await cancelledJob(used, 'http://127.0.0.1:9/hook');
  await deliveryOf(used.server, id, { state: 'pending', attempts: 1, lastOutcome: 'ECONNREFUSED' });
});

test('50 hanging endpoints, and 300 deliveries to one of them, do not delay a working one', async () => {
  const used = await useServer({ jobsInFlightMax: 1_000 });
  const hanging = await Promise.all(Array.from({ length: 50 }, () => useHangingPort()));
  const good = await useReceiver();
  const urls = hanging.map((port) => `http://127.0.0.1:${port}/hook`);
  used.engine.pause();
  const body = await used.api.photoSwapBody();
  const submit = async (url: string): Promise<string> =>
    (await used.api.submit({ ...body, callback_url: url })).id;
  const stuck = await Promise.all([...urls, ...Array.from({ length: 300 }, () => urls[0] ?? '')].map(submit));
  for (const id of stuck) used.server.admin.cancelJob(id);
  const goodJob = await submit(good.url);
  const startedAt = performance.now();
  used.server.admin.cancelJob(goodJob);
  await vi.waitFor(() => expect(good.received).toHaveLength(1), { interval: 5 });
  // A hanging endpoint occupies a delivery slot for 10 s, so a delivery that waited for a slot would take longer.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test('after a restart between attempts 2 and 3 the third is made in time', async () => {
  const clock = new FakeClock();
  const first = await useServer({ clock });
  const receiver = await useReceiver((response) => response.writeHead(503).end());
  const id = await cancelledJob(first, receiver.url);
  await deliveryOf(first.server, id, { attempts: 1, lastOutcome: '503' });
  await clock.advance(30_000);
  await deliveryOf(first.server, id, { attempts: 2, dueAt: clock.now() + 60_000 });
  const second = await first.restart();
  await clock.advance(59_999);
  expect(receiver.received).toHaveLength(2);
  await clock.advance(1);
  await deliveryOf(second.server, id, { attempts: 3, dueAt: clock.now() + 120_000 });
  await advanceToTheEnd(clock, second, id, receiver);
  expect(receiver.received).toHaveLength(6);
});

async function advanceToTheEnd(
  clock: FakeClock,
  used: UsedServer,
  id: string,
  receiver: Receiver,
): Promise<void> {
  for (const delayMs of [120_000, 240_000, 480_000]) {
    await deliveryOf(used.server, id, { dueAt: clock.now() + delayMs });
    const before = receiver.received.length;
    await clock.advance(delayMs);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(before + 1));
  }
  await deliveryOf(used.server, id, { state: 'abandoned' });
}

test('the secret rotates independently of the keys, and during an overlap both secrets verify', async () => {
  const used = await useServer();
  const { server } = used;
  const receiver = await useReceiver();
  const receive = async (): Promise<Received> => {
    const count = receiver.received.length;
    await cancelledJob(used, receiver.url);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(count + 1));
    return receiver.received[count] as Received;
  };
  const old = server.admin.signingSecret();
  expect(old).toBe(server.signingSecret);
  server.admin.createKey({ name: 'Another' });
  expect(server.admin.signingSecret()).toBe(old);
  const fresh = server.admin.rotateSigningSecret({ overlapMs: 60_000 });
  const both = await receive();
  verify(both, old);
  verify(both, fresh);
  const last = server.admin.rotateSigningSecret();
  expect(last).not.toBe(fresh);
  const delivery = await receive();
  verify(delivery, last);
  expect(String(delivery.headers['service-signature'])).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  expect(() => verify(delivery, fresh)).toThrow();
});

test('the secret of an account is created when it is first requested', async () => {
  const { server } = await useServer();
  const accountId = server.admin.createAccount('B');
  const secret = server.admin.signingSecret(accountId);
  expect(secret).toMatch(/^whsec_[a-z2-7]{32}$/);
  expect(server.admin.signingSecret(accountId)).toBe(secret);
  expect(secret).not.toBe(server.signingSecret);
});

/** Opens a port that accepts connections and never sends a byte. */
async function useHangingPort(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
