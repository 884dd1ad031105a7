import { sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';
import type { FaceRow, NewFace } from '../schema/faces.ts';

/** The state is a literal, because SQLite would not use the partial index if it were a parameter. */
const isUnsaved = sql<boolean>`state <> 'saved'`;

export async function insertFace(trx: Trx, face: NewFace): Promise<void> {
  await trx.insertInto('faces').values(face).execute();
}

export async function findFace(db: Queryable, id: string): Promise<FaceRow | undefined> {
  return db.selectFrom('faces').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns a member's faces, newest first, at most `limit`. */
export async function listFaces(
  db: Queryable,
  of: { readonly userId: string; readonly state: FaceRow['state'] },
  limit: number,
): Promise<FaceRow[]> {
  return db
    .selectFrom('faces')
    .selectAll()
    .where('user_id', '=', of.userId)
    .where('state', '=', of.state)
    .orderBy('created_at_ms', 'desc')
    .limit(limit)
    .execute();
}

/** The data of a confirmed face: the picture, and the time, wording and scope of the consent. */
interface Attested {
  readonly size_bytes: number;
  readonly attested_at_ms: number;
  readonly text_version: string;
  readonly scope: string;
}

/** Saves a pending face and deletes its source. Returns false if it is no longer pending. */
export async function saveFace(trx: Trx, id: string, attested: Attested): Promise<boolean> {
  const saved = await trx
    .updateTable('faces')
    .set({ ...attested, state: 'saved', url: '' })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .returning('id')
    .executeTakeFirst();
  return saved !== undefined;
}

/** Makes this face, and no other, the member's default. */
export async function setDefaultFace(
  trx: Trx,
  of: { readonly userId: string; readonly id: string },
): Promise<void> {
  await trx
    .updateTable('faces')
    .set({ is_default: 0 })
    .where('user_id', '=', of.userId)
    .where('is_default', '=', 1)
    .execute();
  await trx.updateTable('faces').set({ is_default: 1 }).where('id', '=', of.id).execute();
}

/** Marks the face as deleted. Its row and file are removed later. */
export async function markFaceDeleted(db: Queryable, id: string): Promise<void> {
  await db.updateTable('faces').set({ state: 'deleted', url: '' }).where('id', '=', id).execute();
}

/** Does the same as `markFaceDeleted` for a face that its member has not confirmed. A saved face is kept. */
export async function discardFace(db: Queryable, id: string): Promise<void> {
  await db
    .updateTable('faces')
    .set({ state: 'deleted', url: '' })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .execute();
}

/** Does the same as `markFaceDeleted` for all faces of a member. */
export async function markFacesDeleted(db: Queryable, userId: string): Promise<void> {
  await db.updateTable('faces').set({ state: 'deleted', url: '' }).where('user_id', '=', userId).execute();
}

/**
 * Returns faces whose files can be removed: deleted ones, and ones that have been pending since before
 * `pendingBeforeMs`. At most `limit`.
 */
export async function listFacesToRemove(
  db: Queryable,
  options: { readonly pendingBeforeMs: number; readonly limit: number },
): Promise<{ readonly id: string }[]> {
  return db
    .selectFrom('faces')
    .select('id')
    .where((eb) =>
      eb.or([
        eb('state', '=', 'deleted'),
        eb.and([eb('state', '=', 'pending'), eb('created_at_ms', '<', options.pendingBeforeMs)]),
      ]),
    )
    .where(isUnsaved)
    .orderBy('created_at_ms')
    .limit(options.limit)
    .execute();
}

export async function deleteFace(db: Queryable, id: string): Promise<void> {
  await db.deleteFrom('faces').where('id', '=', id).where('state', '<>', 'saved').execute();
}
