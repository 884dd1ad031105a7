import { expect, test, vi } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { useDatabase } from '../use-database.ts';
import { useReceiver } from '../use-receiver.ts';
import { useServer } from '../use-server.ts';

test('a webhook whose attempt cannot be recorded waits for a moment, and is sent when that is possible', async () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const { api, server, engine, dataDir } = await useServer({ clock, logger: recordingLogger(lines) });
  const receiver = await useReceiver();
  const database = useDatabase(dataDir);
  engine.pause();
  const { id } = await api.submit({ ...(await api.photoSwapBody()), callback_url: receiver.url });
  database.exec(
    "CREATE TRIGGER fault BEFORE UPDATE ON deliveries BEGIN SELECT RAISE(ABORT, 'disk full'); END",
  );
  server.admin.cancelJob(id);
  expect((await api.job(id)).status).toBe('failed');
  expect(lines.filter((line) => line.includes('Cannot attempt a webhook'))).toHaveLength(1);
  await clock.advance(5_000);
  expect(lines.filter((line) => line.includes('Cannot attempt a webhook'))).toHaveLength(2);
  database.exec('DROP TRIGGER fault');
  await clock.advance(5_000);
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
});

test('a stop during the last attempt does not lose the webhook', async () => {
  const clock = new FakeClock();
  const first = await useServer({ clock });
  const receiver = await useReceiver((response) => {
    const { length } = receiver.received;
    if (length !== 6) response.writeHead(length > 6 ? 204 : 500).end();
  });
  first.engine.pause();
  const { id } = await first.api.submit({ ...(await first.api.photoSwapBody()), callback_url: receiver.url });
  first.server.admin.cancelJob(id);
  for (let attempt = 1; attempt < 6; attempt++) {
    const dueAt = clock.now() + 30_000 * 2 ** (attempt - 1);
    await vi.waitFor(() =>
      expect(first.server.admin.delivery(id)).toMatchObject({ attempts: attempt, dueAt, lastOutcome: '500' }),
    );
    await clock.advance(dueAt - clock.now());
  }
  await vi.waitFor(() => expect(receiver.received).toHaveLength(6));
  const second = await first.restart();
  await vi.waitFor(() => expect(second.server.admin.delivery(id)).toMatchObject({ state: 'delivered' }));
  expect(receiver.received).toHaveLength(7);
});

test('on request the next webhook is lost and arrives with the next attempt, and work is refused for lack of room', async () => {
  const clock = new FakeClock();
  const { api, server, engine } = await useServer({ clock });
  const receiver = await useReceiver();
  engine.pause();
  const body = await api.photoSwapBody();
  const { id } = await api.submit({ ...body, callback_url: receiver.url });
  server.faults.losesNextWebhook = true;
  server.admin.cancelJob(id);
  await vi.waitFor(() => expect(server.admin.delivery(id)).toMatchObject({ lastOutcome: 'lost_on_order' }));
  expect([receiver.received.length, server.faults.losesNextWebhook]).toEqual([0, false]);
  await clock.advance(30_000);
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
  server.faults.isOutOfCapacity = true;
  expect((await api.post('/face-swap-image', body)).status).toBe(429);
  server.faults.isOutOfCapacity = false;
  await api.submit(body);
});
