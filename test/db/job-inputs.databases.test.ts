import { expect, test } from 'vitest';
import { clearInputFiles } from '../../db/queries/job-desk.ts';
import {
  findJobInput,
  clearInputLinks,
  insertJobInputs,
  listJobInputs,
  listOldInputs,
  recordJobInput,
  updateJobInput,
} from '../../db/queries/job-inputs.ts';
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

test('the files of a job are stored per field, gain data on the way, and are deleted with their job', async () => {
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

/** Creates two jobs with two files each, with a value in every column. */
async function useInputs() {
  const database = await useDatabase();
  const inputs = ['job_a', 'job_b'].flatMap((job_id, job) =>
    ['face_key', 'image_key'].map((field, at) => ({
      ...anInput(field),
      job_id,
      source: 'saved_face' as const,
      source_id: `face_${job}_${at}`,
      url: `https://cdn.example/${job}/${at}`,
      path: `inputs/${job}/${at}`,
      sha256: `sha_${job}_${at}`,
      mime: 'image/png',
      extension: 'png',
      file_key: `api/${job}/${at}`,
      duration_ms: 10 * job + at,
      kept_since_ms: 100 * job + 10 * at,
      reuse: 'used' as const,
    })),
  );
  await database.transaction('guild:guild', async (trx) => {
    for (const name of ['a', 'b']) await insertJob(trx, aJob(name, { fence: 3 }));
    await insertJobInputs(trx, inputs);
  });
  const all = () =>
    database.kysely.selectFrom('job_inputs').selectAll().orderBy('job_id').orderBy('field').execute();
  return { db: database.kysely, inputs, all };
}

test('a change or removal of one file or job does not affect the others', async () => {
  const [A_FACE, A_IMAGE, B_FACE, B_IMAGE] = [0, 1, 2, 3] as const;
  const changes = {
    'one file': [[A_IMAGE], { mime: 'image/webp' }],
    'the links of a job': [[A_FACE, A_IMAGE], { url: '', kept_since_ms: 777 }],
    'the files of a job': [[B_FACE, B_IMAGE], { url: '', path: null }],
  } as const;
  for (const [what, [which, patch]] of Object.entries(changes)) {
    const { db, inputs, all } = await useInputs();
    if (what === 'one file') await updateJobInput(db, { jobId: 'job_a', field: 'image_key' }, patch);
    if (what === 'the links of a job') await clearInputLinks(db, 'job_a', 777);
    if (what === 'the files of a job') await clearInputFiles(db, 'job_b');
    const changed: readonly number[] = which;
    const expected = inputs.map((input, index) => (changed.includes(index) ? { ...input, ...patch } : input));
    expect(await all(), `after ${what}`).toEqual(expected);
  }
});

test('only the worker that has the job stores what it has learned about a file', async () => {
  for (const fence of [2, 3, 4]) {
    const { db, inputs, all } = await useInputs();
    const key = { job: { id: 'job_a', fence }, field: 'image_key' };
    expect(await recordJobInput(db, key, { path: 'inputs/new' })).toBe(fence === 3);
    const changed = fence === 3 ? { path: 'inputs/new' } : {};
    expect(await all()).toEqual(
      inputs.map((input, index) => (index === 1 ? { ...input, ...changed } : input)),
    );
  }
});

test('a file is found by its job and field, and is old after it was kept for long enough', async () => {
  const { db, inputs } = await useInputs();
  expect(await findJobInput(db, { jobId: 'job_b', field: 'face_key' })).toEqual(inputs[2]);
  expect(await findJobInput(db, { jobId: 'job_b', field: 'video_key' })).toBeUndefined();
  expect(await listJobInputs(db, 'job_b')).toEqual(inputs.slice(2));
  await updateJobInput(db, { jobId: 'job_a', field: 'face_key' }, { path: null });
  const old = async (beforeMs: number, limit = 10) => {
    const found = await listOldInputs(db, { beforeMs, limit });
    return found.map(({ jobId, field, path }) => `${jobId} ${field} ${path}`).toSorted();
  };
  expect(await old(10)).toEqual([]);
  expect(await old(11)).toEqual(['job_a image_key inputs/0/1']);
  expect(await old(101)).toEqual(['job_a image_key inputs/0/1', 'job_b face_key inputs/1/0']);
  expect(await old(101, 1)).toHaveLength(1);
});
