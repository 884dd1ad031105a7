import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../base/make-folder.ts';

/** The pictures of saved faces in `DATA_DIR/faces`, which only this process's user can read. */
export class FaceFiles {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens the folder, creating it if necessary. Throws `FolderError`. */
  static async open(dataDir: string): Promise<FaceFiles> {
    const folder = join(dataDir, 'faces');
    await makeFolder(folder);
    return new FaceFiles(folder);
  }

  pathOf(faceId: string): string {
    return join(this.#folder, `${faceId}.jpg`);
  }

  /** Returns the path of the unchecked picture. */
  incomingPathOf(faceId: string): string {
    return join(this.#folder, `${faceId}.incoming`);
  }

  async remove(faceId: string): Promise<void> {
    await rm(this.pathOf(faceId), { force: true });
    await rm(this.incomingPathOf(faceId), { force: true });
  }
}
