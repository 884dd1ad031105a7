import type { Clock } from '../../../base/clock.ts';
import { randomId } from '../../../base/ids.ts';
import type { Database } from '../../../../db/database.ts';
import { listNeverSwap } from '../../../../db/queries/consents.ts';
import {
  discardFace,
  findFace,
  insertFace,
  listFaces,
  markFaceDeleted,
  markFacesDeleted,
  saveFace,
  setDefaultFace,
} from '../../../../db/queries/faces.ts';
import type { FaceRow } from '../../../../db/schema/faces.ts';
import type { FaceFiles } from './face-files.ts';
import {
  FACE_BYTES_MAX,
  FACES_MAX,
  badName,
  expired,
  nameTaken,
  neverSwapped,
  tooLarge,
  tooMany,
  unknownFace,
  unusable,
} from './face-errors.ts';
import { fetchFace } from './fetch-face.ts';
import { type ConsentText, FACE_ATTESTATION, FACE_SCOPE } from './consent-texts.ts';
import type { InputFetcher } from '../../jobs/inputs/input-fetcher.ts';
import type { SavedFaces } from '../../jobs/inputs/saved-faces.ts';
import type { SavedFace } from './saved-face.ts';
import type { MediaPool } from '../../media/pool/media-pool.ts';

/** Reads and converts face pictures in a separate process. */
export type FacePictures = Pick<MediaPool, 'cleanFace' | 'previewFace'>;

/** A saved face with a small JPEG copy of its picture. */
interface FacePreview {
  readonly face: SavedFace;
  readonly bytes: Uint8Array;
}

interface FaceStoreOptions {
  readonly db: Database;
  readonly files: FaceFiles;
  readonly fetcher: InputFetcher;
  readonly pictures: FacePictures;
  readonly clock: Clock;
}

/** How long a picture waits for the member's confirmation. */
export const PENDING_MS: number = 15 * 60_000;
const PENDING_MAX = 5;
const NEVER = new AbortController().signal;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} _.'-]{0,31}$/u;

/**
 * The faces that members saved, each confirmed by the member who saved it. Methods throw `MemberError`, whose message
 * is for the member.
 */
export class FaceStore implements SavedFaces {
  readonly #options: FaceStoreOptions;

  constructor(options: FaceStoreOptions) {
    this.#options = options;
  }

  /** Stores the URL of a picture. The picture is fetched when the member confirms `attestation`. */
  async begin(
    userId: string,
    face: { readonly name: string; readonly url: string; readonly sizeBytes: number },
  ): Promise<{ readonly faceId: string; readonly attestation: ConsentText }> {
    const name = face.name.trim();
    if (!NAME.test(name)) throw badName();
    if (face.sizeBytes > FACE_BYTES_MAX) throw tooLarge();
    const { db, clock } = this.#options;
    const faceId = randomId('face');
    await this.#demandSwappable(userId);
    await db.transaction(`member:${userId}`, async (trx) => {
      const saved = await listFaces(trx, { userId, state: 'saved' }, FACES_MAX);
      if (findByName(saved, name)) throw nameTaken();
      if (saved.length >= FACES_MAX) throw tooMany();
      const pending = await listFaces(trx, { userId, state: 'pending' }, PENDING_MAX);
      if (pending.length >= PENDING_MAX) await markFaceDeleted(trx, pending.at(-1)?.id ?? '');
      await insertFace(trx, {
        id: faceId,
        user_id: userId,
        name,
        state: 'pending',
        url: face.url,
        created_at_ms: clock.now(),
      });
    });
    return { faceId, attestation: FACE_ATTESTATION };
  }

  /**
   * Fetches, checks and stores the picture after the member has confirmed that they may use it. A repeated call does
   * nothing.
   */
  async attest(userId: string, faceId: string): Promise<SavedFace> {
    const { db, clock, files } = this.#options;
    const row = await this.#own(userId, faceId);
    if (row.state === 'saved') return toSavedFace(row);
    if (row.state !== 'pending' || row.created_at_ms + PENDING_MS <= clock.now()) throw expired();
    await this.#demandSwappable(userId);
    const incomingPath = files.incomingPathOf(faceId);
    await fetchFace(this.#options, row.url, incomingPath);
    const sizeBytes = await this.#clean(incomingPath, files.pathOf(faceId), userId);
    await db.transaction(`member:${userId}`, async (trx) => {
      const saved = await listFaces(trx, { userId, state: 'saved' }, FACES_MAX);
      const known = findByName(saved, row.name);
      if (known && known.id !== faceId) throw nameTaken();
      if (saved.length >= FACES_MAX && !known) throw tooMany();
      const isNew = await saveFace(trx, faceId, {
        size_bytes: sizeBytes,
        attested_at_ms: clock.now(),
        text_version: FACE_ATTESTATION.version,
        scope: FACE_SCOPE,
      });
      if (isNew && saved.length === 0) await setDefaultFace(trx, { userId, id: faceId });
    });
    const stored = await this.#own(userId, faceId);
    // If the face was deleted during the fetch, the caretaker deletes the file.
    if (stored.state !== 'saved') throw expired();
    return toSavedFace(stored);
  }

  /** Discards a picture that was not confirmed. */
  async discard(userId: string, faceId: string): Promise<void> {
    const row = await findFace(this.#options.db.kysely, faceId);
    if (row?.user_id === userId) await discardFace(this.#options.db.kysely, faceId);
  }

  /** Returns the saved faces: the default first, then the others, newest first. */
  async list(userId: string): Promise<readonly SavedFace[]> {
    const rows = await listFaces(this.#options.db.kysely, { userId, state: 'saved' }, FACES_MAX);
    return rows.toSorted((a, b) => b.is_default - a.is_default).map(toSavedFace);
  }

  /** Finds a face by name or id. Returns null if there is none, or if the member's faces must not be used. */
  async find(userId: string, nameOrId: string): Promise<SavedFace | null> {
    return findByNameOrId(await this.#usable(userId), nameOrId) ?? null;
  }

  /** Returns the face that is used if the member names none; null if there is none. */
  async default(userId: string): Promise<SavedFace | null> {
    return (await this.#usable(userId)).find(({ isDefault }) => isDefault) ?? null;
  }

  async makeDefault(userId: string, nameOrId: string): Promise<SavedFace> {
    const face = await this.#named(userId, nameOrId);
    await this.#options.db.transaction(`member:${userId}`, (trx) =>
      setDefaultFace(trx, { userId, id: face.id }),
    );
    return { ...face, isDefault: true };
  }

  async delete(userId: string, nameOrId: string): Promise<SavedFace> {
    const face = await this.#named(userId, nameOrId);
    await markFaceDeleted(this.#options.db.kysely, face.id);
    await this.#options.files.remove(face.id);
    return face;
  }

  /** Deletes all saved faces of the member. */
  async clear(userId: string): Promise<void> {
    const faces = await this.list(userId);
    await markFacesDeleted(this.#options.db.kysely, userId);
    for (const { id } of faces) await this.#options.files.remove(id);
  }

  /** Returns at most 25 of the member's faces whose names contain the typed text. */
  async suggest(
    userId: string,
    typed: string,
  ): Promise<readonly { readonly name: string; readonly value: string }[]> {
    const part = typed.trim().toLowerCase();
    return (await this.#usable(userId))
      .filter(({ name }) => name.toLowerCase().includes(part))
      .map(({ id, name, isDefault }) => ({ name: isDefault ? `${name} (default)` : name, value: id }));
  }

  /** Returns small copies of the faces' pictures in the given order, leaving out those that cannot be read. */
  async previews(faces: readonly SavedFace[]): Promise<readonly FacePreview[]> {
    const { pictures } = this.#options;
    const previews: FacePreview[] = [];
    for (const face of faces) {
      const path = this.#options.files.pathOf(face.id);
      const bytes = await pictures.previewFace(path, NEVER).catch(() => undefined);
      if (bytes) previews.push({ face, bytes });
    }
    return previews;
  }

  async pathOf(faceId: string, userId: string): Promise<string | null> {
    const usable = await this.#usable(userId);
    return usable.some(({ id }) => id === faceId) ? this.#options.files.pathOf(faceId) : null;
  }

  async #clean(path: string, toPath: string, userId: string): Promise<number> {
    try {
      return await this.#options.pictures.cleanFace(path, toPath, NEVER, userId);
    } catch (error) {
      throw unusable(error);
    }
  }

  async #usable(userId: string): Promise<readonly SavedFace[]> {
    const isNever = (await listNeverSwap(this.#options.db.kysely, [userId])).length > 0;
    return isNever ? [] : this.list(userId);
  }

  async #named(userId: string, nameOrId: string): Promise<SavedFace> {
    const face = findByNameOrId(await this.list(userId), nameOrId);
    if (!face) throw unknownFace();
    return face;
  }

  async #own(userId: string, faceId: string): Promise<FaceRow> {
    const row = await findFace(this.#options.db.kysely, faceId);
    if (row?.user_id !== userId) throw expired();
    return row;
  }

  async #demandSwappable(userId: string): Promise<void> {
    if ((await listNeverSwap(this.#options.db.kysely, [userId])).length > 0) throw neverSwapped();
  }
}

/** Names are compared here rather than in SQL, because SQLite ignores case only for ASCII letters. */
function findByName<Face extends { readonly name: string }>(
  faces: readonly Face[],
  name: string,
): Face | undefined {
  return faces.find((face) => face.name.toLowerCase() === name.toLowerCase());
}

function findByNameOrId(faces: readonly SavedFace[], nameOrId: string): SavedFace | undefined {
  return faces.find(({ id }) => id === nameOrId) ?? findByName(faces, nameOrId.trim());
}

function toSavedFace(row: FaceRow): SavedFace {
  return {
    id: row.id,
    name: row.name,
    isDefault: row.is_default === 1,
    savedAtMs: row.attested_at_ms ?? row.created_at_ms,
    sizeBytes: row.size_bytes ?? 0,
  };
}
