import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { FakeClock } from '../helpers/fake-clock.ts';
import { useDatabase } from './use-database.ts';
import { useServer } from './use-server.ts';

const HOUR_MS = 3_600_000;

test('one file that cannot be removed prevents neither the removal of others nor the start of the server', async () => {
  const clock = new FakeClock();
  const used = await useServer({ clock, uploadRetentionMs: HOUR_MS });
  const { api, dataDir } = used;
  const folder = join(dataDir, 'uploads');
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) ids.push((await api.uploadPicture()).slice('api/'.length));
  const stuck = ids.toSorted()[0] ?? '';
  await rm(join(folder, stuck));
  await mkdir(join(folder, stuck));
  await clock.advance(HOUR_MS);
  await vi.waitFor(async () => expect(await readdir(folder)).toEqual([stuck]));
  const again = await used.restart();
  expect((await again.api.get('/balance')).status).toBe(200);
});

test('a round removes everything past its retention, however much it is', async () => {
  const clock = new FakeClock();
  const { api, dataDir } = await useServer({ clock, uploadRetentionMs: HOUR_MS });
  await api.uploadPicture();
  const database = useDatabase(dataDir);
  database.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
    INSERT INTO uploads (id, accountId, kind, mime, sizeBytes, createdAt, expiresAt)
    SELECT 'up_' || i, accountId, kind, mime, sizeBytes, createdAt, expiresAt FROM n, uploads`);
  await clock.advance(HOUR_MS);
  await vi.waitFor(() => expect(database.all('SELECT 1 FROM uploads WHERE deletedAt IS NULL')).toEqual([]));
});
