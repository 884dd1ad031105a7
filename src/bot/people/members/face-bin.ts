import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../../db/database.ts';
import { deleteFace, listFacesToRemove } from '../../../../db/queries/faces.ts';
import type { FaceFiles } from './face-files.ts';
import { PENDING_MS } from './face-store.ts';

const AT_ONCE = 100;
/** A face that is confirmed just before its time runs out may still be downloading. */
const GRACE_MS = 60_000;

/** Deletes the files and rows of faces that were deleted, or that the member never confirmed. */
export class FaceBin {
  readonly #options: { readonly db: Database; readonly files: FaceFiles; readonly clock: Clock };

  constructor(options: { readonly db: Database; readonly files: FaceFiles; readonly clock: Clock }) {
    this.#options = options;
  }

  async empty(): Promise<void> {
    const { db, files, clock } = this.#options;
    const pendingBeforeMs = clock.now() - PENDING_MS - GRACE_MS;
    for (;;) {
      const faces = await listFacesToRemove(db.kysely, { pendingBeforeMs, limit: AT_ONCE });
      for (const { id } of faces) {
        await files.remove(id);
        await deleteFace(db.kysely, id);
      }
      if (faces.length < AT_ONCE) return;
    }
  }
}
