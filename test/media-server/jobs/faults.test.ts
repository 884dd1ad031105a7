import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { type DatabaseView, useDatabase } from '../use-database.ts';
import { useServer } from '../use-server.ts';

/** Prevents jobs from ending, as a full disk would. Returns a function that makes room again. */
function fillDisk(database: DatabaseView): () => void {
  database.exec(
    "CREATE TRIGGER fault BEFORE UPDATE OF finishedAt ON jobs BEGIN SELECT RAISE(ABORT, 'disk full'); END",
  );
  return () => database.exec('DROP TRIGGER fault');
}

test.each([
  ['succeeded', 'picture'],
  ['failed', 'no picture'],
])('a render whose end cannot be stored has %s as soon as possible', async (status, content) => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const { api, engine, dataDir } = await useServer({ clock, logger: recordingLogger(lines) });
  const body = await api.photoSwapBody();
  const other = (await api.upload(Buffer.from(content))).json as { file_key: string };
  engine.pause();
  const { id } = await api.submit(content === 'picture' ? body : { ...body, face_key: other.file_key });
  const makeRoom = fillDisk(useDatabase(dataDir));
  engine.release();
  await vi.waitFor(() => expect(lines.join()).toContain('disk full'));
  expect((await api.job(id)).status).toBe('processing');
  makeRoom();
  await clock.advance(5_000);
  expect((await api.ended(id)).status).toBe(status);
});

test('a server that stops while an end cannot be stored renders that job again after the next start', async () => {
  const lines: string[] = [];
  const first = await useServer({ logger: recordingLogger(lines) });
  const body = await first.api.photoSwapBody();
  const makeRoom = fillDisk(useDatabase(first.dataDir));
  const { id } = await first.api.submit(body);
  await vi.waitFor(() => expect(lines.join()).toContain('disk full'));
  await first.server[Symbol.asyncDispose]();
  makeRoom();
  const second = await useServer({ dataDir: first.dataDir });
  expect((await second.api.ended(id)).status).toBe('succeeded');
  expect(await readdir(join(first.dataDir, 'parts'))).toEqual([]);
});
