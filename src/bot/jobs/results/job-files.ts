import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { randomId } from '../../../base/ids.ts';
import { makeFolder } from '../../../base/make-folder.ts';

/**
 * The files of jobs under `DATA_DIR`: inputs and results for as long as they are kept, and what is just arriving.
 * A file leaves the folder of arrivals only after it was looked into and cleaned.
 */
export class JobFiles {
  readonly #arrivals: string;
  readonly #inputs: string;
  readonly #results: string;

  private constructor(dataDir: string) {
    this.#arrivals = join(dataDir, 'arrivals');
    this.#inputs = join(dataDir, 'inputs');
    this.#results = join(dataDir, 'results');
  }

  /** Makes the folders, readable by this user only. Throws `FolderError`. */
  static async open(dataDir: string): Promise<JobFiles> {
    const files = new JobFiles(dataDir);
    await makeFolder(files.#arrivals);
    await makeFolder(files.#inputs);
    await makeFolder(files.#results);
    return files;
  }

  /** Another one each time: who was overtaken must not take away what its successor looks into. */
  arrivalPath(jobId: string, field: string): string {
    return join(this.#arrivals, `${jobId}.${field}.${randomId('a')}`);
  }

  inputPath(jobId: string, field: string): string {
    return join(this.#inputs, `${jobId}.${field}`);
  }

  resultPath(jobId: string): string {
    return join(this.#results, jobId);
  }

  /** Of a copy of the result that is small enough for the chat. */
  chatPath(jobId: string): string {
    return join(this.#results, `${jobId}.chat`);
  }

  /** Removes what was arriving when a process died: nothing that arrives takes until `beforeMs` to do so. */
  async removeOldArrivals(beforeMs: number): Promise<void> {
    for (const name of await readdir(this.#arrivals)) {
      const path = join(this.#arrivals, name);
      const found = await stat(path).catch(() => undefined);
      if (found && found.mtimeMs < beforeMs) await rm(path, { force: true });
    }
  }

  /** Removes every file of these jobs: inputs, results with their copies, and what a crash left of either. */
  async removeAll(jobIds: readonly string[]): Promise<void> {
    const folders = [this.#arrivals, this.#inputs, this.#results];
    for (const folder of folders) await removeOf(folder, new Set(jobIds));
  }

  /** Removes what there is of a job's result, also where no row tells of it. */
  removeResult(jobId: string): Promise<void> {
    return removeOf(this.#results, new Set([jobId]));
  }
}

async function removeOf(folder: string, jobIds: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    if (jobIds.has(name.split('.', 1)[0] ?? '')) await rm(join(folder, name), { force: true });
  }
}
