import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomId } from '../../base/ids.ts';
import { makeFolder } from '../../base/make-folder.ts';

/**
 * The paths of uploads and outputs in the data folder. All names are generated here; none comes from a
 * client.
 */
export class MediaFiles {
  readonly #uploads: string;
  readonly #outputs: string;
  readonly #parts: string;

  constructor(dataDir: string) {
    this.#uploads = join(dataDir, 'uploads');
    this.#outputs = join(dataDir, 'outputs');
    this.#parts = join(dataDir, 'parts');
  }

  /** Creates the folders, and empties the folder for unfinished files, to which no database row refers. */
  async prepare(): Promise<void> {
    await rm(this.#parts, { recursive: true, force: true });
    for (const folder of [this.#uploads, this.#outputs, this.#parts]) {
      await makeFolder(folder);
    }
  }

  upload(id: string): string {
    return join(this.#uploads, id);
  }

  output(name: string): string {
    return join(this.#outputs, name);
  }

  /** Returns a new path on the same disk, for a file that is still being written. */
  part(): string {
    return join(this.#parts, randomId('part'));
  }

  /** Returns the names of all stored files by folder, to find those to which no database row refers. */
  async list(): Promise<{ uploads: string[]; outputs: string[] }> {
    return { uploads: await readdir(this.#uploads), outputs: await readdir(this.#outputs) };
  }
}
