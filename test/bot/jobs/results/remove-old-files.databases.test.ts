import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clearInputLinks, insertJobInputs } from '../../../../db/queries/job-inputs.ts';
import { findJob, insertJob } from '../../../../db/queries/jobs.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { removeOldFiles } from '../../../../src/bot/jobs/results/remove-old-files.ts';
import { aJob } from '../../../db/a-job.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

const DAY_MS = 86_400_000;

test('removes old results, their smaller copies and the inputs that they came from, and remembers the jobs', async () => {
  const db = await useDatabase();
  const clock = new FakeClock();
  const folder = await useFolder();
  const keep = async (name: string, ageDays: number): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, name);
    const settled = {
      stage: 'settled',
      result_path: path,
      chat_path: `${path}.small`,
      settled_at_ms: clock.now() - ageDays * DAY_MS,
    } as const;
    for (const end of ['in', 'small']) await writeFile(`${path}.${end}`, name);
    await db.transaction('guild:guild', async (trx) => {
      const { job } = await insertJob(trx, aJob(name, settled));
      const input = { job_id: job.id, field: 'image_key', option_name: 'image', kind: 'image' } as const;
      await insertJobInputs(trx, [{ ...input, source: 'newest', url: '', path: `${path}.in` }]);
      await clearInputLinks(trx, job.id, settled.settled_at_ms);
    });
    return path;
  };
  const young = await keep('young', 29);
  await keep('old', 31);

  expect(await removeOldFiles(db, { clock, keepMs: 30 * DAY_MS })).toBe(2);

  expect((await readdir(folder)).toSorted()).toEqual(['young', 'young.in', 'young.small']);
  expect(await findJob(db.kysely, 'job_young')).toMatchObject({
    result_path: young,
    chat_path: `${young}.small`,
  });
  expect(await findJob(db.kysely, 'job_old')).toMatchObject({
    stage: 'settled',
    result_path: null,
    chat_path: null,
  });
  expect(await removeOldFiles(db, { clock, keepMs: 30 * DAY_MS })).toBe(0);
});

test('removes all old files, however many there are', async () => {
  const db = await useDatabase();
  const clock = new FakeClock();
  const gone = { stage: 'settled', result_path: '/nowhere/at/all', settled_at_ms: 1 } as const;
  await db.transaction('guild:guild', async (trx) => {
    for (let at = 0; at < 501; at += 1) await insertJob(trx, aJob(`${at}`, gone));
  });
  await clock.advance(31 * DAY_MS);

  expect(await removeOldFiles(db, { clock, keepMs: 30 * DAY_MS })).toBe(501);
});
