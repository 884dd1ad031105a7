import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomId } from '../../base/ids.ts';
import { makeFolder } from '../../base/make-folder.ts';

/** Where uploads and outputs lie in the data folder. Names are ours alone, never a client's. */
export class MediaFiles {
  readonly #uploads: string;
  readonly #outputs: string;
  readonly #parts: string;

  constructor(dataDir: string) {
    this.#uploads = join(dataDir, 'uploads');
    this.#outputs = join(dataDir, 'outputs');
    this.#parts = join(dataDir, 'parts');
  }

  /** Makes the folders and empties that of unfinished files, which belong to no row. */
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

  /** A fresh path on the same disk, for a file that is still being written. */
  part(): string {
    return join(this.#parts, randomId('part'));
  }

  /** Names of all kept files, by folder, to find those that no row knows. */
  async list(): Promise<{ uploads: string[]; outputs: string[] }> {
    return { uploads: await readdir(this.#uploads), outputs: await readdir(this.#outputs) };
  }
}
