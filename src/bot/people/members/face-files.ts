import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../base/make-folder.ts';

/** The pictures of saved faces under `DATA_DIR/faces`, readable by this user only. */
export class FaceFiles {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the folder. Throws `FolderError`. */
  static async open(dataDir: string): Promise<FaceFiles> {
    const folder = join(dataDir, 'faces');
    await makeFolder(folder);
    return new FaceFiles(folder);
  }

  pathOf(faceId: string): string {
    return join(this.#folder, `${faceId}.jpg`);
  }

  /** Where the picture is as it was sent, until it is checked. */
  incomingPathOf(faceId: string): string {
    return join(this.#folder, `${faceId}.incoming`);
  }

  async remove(faceId: string): Promise<void> {
    await rm(this.pathOf(faceId), { force: true });
    await rm(this.incomingPathOf(faceId), { force: true });
  }
}
