import { expect, onTestFinished, test, vi } from 'vitest';
import { useDatabase } from '../use-database.ts';
import { useReceiver } from '../use-receiver.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { DoomedServer } from './doomed-server.ts';

/** The downtime after each kill: longer than the waits between attempts 1, 2 and 3. */
const AWAY_MS = 70_000;

test('after kill -9 between attempts 2 and 3 the next server makes the third', async () => {
  const dataDir = await useFolder();
  const receiver = await useReceiver((response) =>
    response.writeHead(receiver.received.length < 3 ? 503 : 204).end(),
  );
  let last: DoomedServer | undefined;
  onTestFinished(async () => last?.kill());
  for (const attempts of [1, 2, 3]) {
    last = new DoomedServer(dataDir, attempts);
    last.begin(attempts * AWAY_MS);
    const api = await last.ready();
    if (attempts === 1) {
      const { file_key: key } = (await api.upload(Buffer.from('a file'))).json as { file_key: string };
      await api.submit({ image_key: key, face_key: key, callback_url: receiver.url });
    }
    const database = useDatabase(dataDir);
    const lastOutcome = attempts === 3 ? '204' : '503';
    await vi.waitFor(
      () => {
        expect(receiver.received).toHaveLength(attempts);
        expect(database.all('SELECT attempts, lastOutcome FROM deliveries')).toEqual([
          { attempts, lastOutcome },
        ]);
      },
      { timeout: 10_000 },
    );
    await last.kill();
  }
  expect(receiver.received).toHaveLength(3);
  const signedAt = receiver.received.map(
    ({ headers }) => /^t=(\d+)/.exec(String(headers['service-signature']))?.[1],
  );
  expect(new Set(signedAt).size).toBe(3);
  expect(new Set(receiver.received.map(({ body }) => body.delivery_id)).size).toBe(1);
});
