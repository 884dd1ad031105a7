import { type Insertable, sql } from 'kysely';
import type { Queryable, Schema, Trx } from '../schema.ts';

/** The input of a job for which a file is uploaded. */
interface UploadFor {
  readonly jobId: string;
  readonly field: string;
}

/** The owner of the file. An upload is reused only for the member whose file it is. */
interface UploadOwner {
  readonly userId: string;
  readonly sha256: string;
}

/** An upload that is about to be attempted or was attempted. */
type BegunUpload = UploadFor & UploadOwner & { readonly nowMs: number };

/** Records that a file is about to be sent. Returns the upload's number. */
export async function beginUpload(db: Queryable, upload: BegunUpload): Promise<number> {
  const { id } = await db
    .insertInto('uploads')
    .values({ ...columnsOf(upload), state: 'sending' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Stores `count` orphan uploads, one for each attempt that got no answer. */
export async function addOrphans(db: Queryable, upload: BegunUpload, count: number): Promise<void> {
  const orphan = { ...columnsOf(upload), state: 'orphan' } as const;
  const orphans = Array.from({ length: count }, () => orphan);
  if (count > 0) await db.insertInto('uploads').values(orphans).execute();
}

/** Stores the key that the service gave to the file. */
export async function keepUpload(trx: Trx, id: number, fileKey: string): Promise<void> {
  await trx.updateTable('uploads').set({ state: 'kept', file_key: fileKey }).where('id', '=', id).execute();
}

/** Deletes an upload that was not sent or was refused, and so left nothing at the service. */
export async function dropUpload(db: Queryable, id: number): Promise<void> {
  await db.deleteFrom('uploads').where('id', '=', id).execute();
}

/** Marks all unfinished uploads of the input as orphans: they may be at the service under unknown keys. */
export async function orphanUploads(db: Queryable, of: UploadFor): Promise<void> {
  await db
    .updateTable('uploads')
    .set({ state: 'orphan' })
    .where('job_id', '=', of.jobId)
    .where('field', '=', of.field)
    .where('state', '=', 'sending')
    .execute();
}

export async function countOrphans(db: Queryable, of: UploadFor): Promise<number> {
  const counted = await db
    .selectFrom('uploads')
    .select((eb) => eb.fn.countAll<number>().as('orphans'))
    .where('job_id', '=', of.jobId)
    .where('field', '=', of.field)
    .where('state', '=', 'orphan')
    .executeTakeFirstOrThrow();
  return counted.orphans;
}

/** Returns the key of the member's newest upload of the same file since `sinceMs`. */
export async function findKeptUpload(
  db: Queryable,
  of: UploadOwner & { readonly sinceMs: number },
): Promise<string | undefined> {
  const found = await db
    .selectFrom('uploads')
    .select(sql<string>`file_key`.as('fileKey'))
    .where('user_id', '=', of.userId)
    .where('sha256', '=', of.sha256)
    .where('created_at_ms', '>=', of.sinceMs)
    .where(sql<boolean>`state = 'kept'`)
    .orderBy('created_at_ms', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found?.fileKey;
}

/** Marks the member's keys for this file as rejected by the service, so that none of them is reused. */
export async function rejectUploads(trx: Trx, of: UploadOwner): Promise<void> {
  await trx
    .updateTable('uploads')
    .set({ state: 'rejected' })
    .where('user_id', '=', of.userId)
    .where('sha256', '=', of.sha256)
    .where(sql<boolean>`state = 'kept'`)
    .execute();
}

/** Deletes uploads that were started before `beforeMs`, at most `limit`. */
export async function purgeUploads(
  db: Queryable,
  options: { readonly beforeMs: number; readonly limit: number },
): Promise<void> {
  await db
    .deleteFrom('uploads')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('uploads')
        .select('id')
        .where('created_at_ms', '<', options.beforeMs)
        .limit(options.limit),
    )
    .execute();
}

function columnsOf(upload: BegunUpload): Omit<Insertable<Schema['uploads']>, 'state'> {
  const { jobId, field, userId, sha256, nowMs } = upload;
  return { job_id: jobId, field, user_id: userId, sha256, file_key: null, created_at_ms: nowMs };
}
