import { expect, test, vi } from 'vitest';
import { FakeClock } from '../../../src/base/fake-clock.ts';
import { recordingLogger } from '../../recording-logger.ts';
import { useDatabase } from '../use-database.ts';
import { useReceiver } from '../use-receiver.ts';
import { useServer } from '../use-server.ts';

test('a webhook that cannot be counted waits a moment, and goes out when it can', async () => {
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
