import { expect, test } from 'vitest';
import { insertJobInputs, listJobInputs, updateJobInput } from '../../db/queries/job-inputs.ts';
import { insertJob } from '../../db/queries/jobs.ts';
import { aJob } from './a-job.ts';
import { useDatabase } from './use-database.ts';

function anInput(field: string) {
  return {
    job_id: 'job_a',
    field,
    option_name: field.replace('_key', ''),
    kind: 'image' as const,
    source: 'chat' as const,
    url: 'https://cdn.example/a.png',
    size_bytes: 10,
  };
}

test('the files of a job are kept per field, learn more on the way, and go with their job', async () => {
  const database = await useDatabase();
  await database.transaction('guild:guild', async (trx) => {
    await insertJob(trx, aJob('a'));
    await insertJobInputs(trx, []);
    await insertJobInputs(trx, [anInput('image_key'), anInput('face_key')]);
  });
  const key = { jobId: 'job_a', field: 'face_key' };
  await updateJobInput(database.kysely, key, { path: 'inputs/1', mime: 'image/png', extension: 'png' });
  await updateJobInput(database.kysely, key, { file_key: 'api/1' });
  expect(await listJobInputs(database.kysely, 'job_a')).toMatchObject([
    { field: 'face_key', path: 'inputs/1', mime: 'image/png', file_key: 'api/1' },
    { field: 'image_key', path: null, file_key: null, source_id: null },
  ]);
  await database.kysely.deleteFrom('jobs').where('id', '=', 'job_a').execute();
  expect(await listJobInputs(database.kysely, 'job_a')).toEqual([]);
});

test('a file without its job is refused', async () => {
  const database = await useDatabase();
  const insert = database.transaction('guild:guild', (trx) => insertJobInputs(trx, [anInput('image_key')]));
  await expect(insert).rejects.toThrow(/foreign key constraint/i);
});
