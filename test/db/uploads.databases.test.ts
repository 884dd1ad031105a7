import { beforeEach, expect, test } from 'vitest';
import {
  addOrphans,
  beginUpload,
  countOrphans,
  dropUpload,
  findKeptUpload,
  keepUpload,
  orphanUploads,
  purgeUploads,
  rejectUploads,
} from '../../db/queries/uploads.ts';
import type { Database } from '../../db/database.ts';
import { insertJob } from '../../db/queries/jobs.ts';
import type { Trx } from '../../db/schema.ts';
import type { UploadsTable } from '../../db/schema/job-inputs.ts';
import { aJob } from './a-job.ts';
import { useDatabase } from './use-database.ts';

type Upload = Omit<UploadsTable, 'id'> & { readonly id: number };

const STATES = ['sending', 'kept', 'orphan', 'rejected'] as const;
const JOBS = ['job_a', 'job_b'];
const FIELDS = ['image_key', 'face_key'];
const USERS = ['user_1', 'user_2'];
const FILES = ['sha_1', 'sha_2'];
const INPUTS = JOBS.flatMap((jobId) => FIELDS.map((field) => ({ jobId, field })));
const OWNERS = USERS.flatMap((userId) => FILES.map((sha256) => ({ userId, sha256 })));

let db: Database;
let before: readonly Upload[];

/** Inserts an upload for every combination of input, owner and state, each with a different start time. */
beforeEach(async () => {
  db = await useDatabase();
  await db.transaction('rows', async (trx) => {
    for (const name of ['a', 'b']) await insertJob(trx, aJob(name));
    const kinds = STATES.flatMap((state) =>
      INPUTS.flatMap(({ jobId: job_id, field }) =>
        OWNERS.map(({ userId: user_id, sha256 }) => ({ job_id, field, user_id, sha256, state })),
      ),
    );
    const uploads = kinds.map((kind, index) => ({
      ...kind,
      file_key: kind.state === 'kept' || kind.state === 'rejected' ? `api/${index}` : null,
      created_at_ms: 1_000 + ((index * 37) % kinds.length),
    }));
    await trx.insertInto('uploads').values(uploads).execute();
  });
  before = await all();
});

async function all(): Promise<Upload[]> {
  return db.kysely.selectFrom('uploads').selectAll().orderBy('id').execute();
}

function changing(work: (trx: Trx) => Promise<unknown>): Promise<unknown> {
  return db.transaction('rows', work);
}

const isOf = (upload: Upload, of: (typeof INPUTS)[number]): boolean =>
  upload.job_id === of.jobId && upload.field === of.field;
const isOwnedBy = (upload: Upload, owner: (typeof OWNERS)[number]): boolean =>
  upload.user_id === owner.userId && upload.sha256 === owner.sha256;

test('an unfinished upload counts as an orphan of its own input only', async () => {
  for (const input of INPUTS) {
    const counted = before.filter((upload) => isOf(upload, input) && upload.state === 'orphan').length;
    expect(await countOrphans(db.kysely, input)).toBe(counted);
  }
  const [input = { jobId: '', field: '' }] = INPUTS;
  await orphanUploads(db.kysely, input);
  expect(await all()).toEqual(
    before.map((upload) =>
      isOf(upload, input) && upload.state === 'sending' ? { ...upload, state: 'orphan' } : upload,
    ),
  );
});

test('the member’s newest upload of the same file is reused, up to its age limit', async () => {
  for (const owner of OWNERS) {
    const kept = before
      .filter((upload) => isOwnedBy(upload, owner) && upload.state === 'kept')
      .toSorted((one, other) => other.created_at_ms - one.created_at_ms);
    const [newest] = kept;
    if (!newest) throw new Error('There is no kept upload');
    for (const sinceMs of [0, newest.created_at_ms]) {
      expect(await findKeptUpload(db.kysely, { ...owner, sinceMs })).toBe(newest.file_key);
    }
    expect(await findKeptUpload(db.kysely, { ...owner, sinceMs: newest.created_at_ms + 1 })).toBeUndefined();
  }
});

test('an upload that the service no longer accepts is not reused, for this member and file', async () => {
  const [owner = { userId: '', sha256: '' }] = OWNERS;
  await changing((trx) => rejectUploads(trx, owner));
  expect(await findKeptUpload(db.kysely, { ...owner, sinceMs: 0 })).toBeUndefined();
  expect(await all()).toEqual(
    before.map((upload) =>
      isOwnedBy(upload, owner) && upload.state === 'kept' ? { ...upload, state: 'rejected' } : upload,
    ),
  );
});

test('each upload stores its owner, its start and its state', async () => {
  const begun = { jobId: 'job_b', field: 'face_key', userId: 'user_9', sha256: 'sha_9', nowMs: 5_000 };
  const columns = {
    job_id: 'job_b',
    field: 'face_key',
    user_id: 'user_9',
    sha256: 'sha_9',
    created_at_ms: 5_000,
  };
  const [kept, dropped, open] = [
    await beginUpload(db.kysely, begun),
    await beginUpload(db.kysely, begun),
    await beginUpload(db.kysely, begun),
  ];
  await changing((trx) => keepUpload(trx, kept, 'api/new'));
  await dropUpload(db.kysely, dropped);
  await addOrphans(db.kysely, begun, 0);
  await addOrphans(db.kysely, begun, 2);

  const added = (await all()).slice(before.length);
  expect((await all()).slice(0, before.length)).toEqual(before);
  expect(added).toMatchObject([
    { id: kept, ...columns, state: 'kept', file_key: 'api/new' },
    { id: open, ...columns, state: 'sending', file_key: null },
    { ...columns, state: 'orphan', file_key: null },
    { ...columns, state: 'orphan', file_key: null },
  ]);
  expect(added).toHaveLength(4);
});

test('uploads are deleted by the time at which they were started, a bounded number at a time', async () => {
  const middle = 1_000 + before.length / 2;
  await purgeUploads(db.kysely, { beforeMs: middle, limit: 3 });
  expect(await all()).toHaveLength(before.length - 3);
  await purgeUploads(db.kysely, { beforeMs: middle, limit: 10_000 });
  expect(await all()).toEqual(before.filter((upload) => upload.created_at_ms >= middle));
});
