import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { randomId } from '../../../base/ids.ts';
import { makeFolder } from '../../../base/make-folder.ts';

/**
 * The files of jobs under `DATA_DIR`: kept inputs, kept results, and files that are being downloaded. A file leaves the
 * arrivals folder only after it has been inspected and cleaned.
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

  /** Creates the folders, which only this user may read. Throws `FolderError`. */
  static async open(dataDir: string): Promise<JobFiles> {
    const files = new JobFiles(dataDir);
    await makeFolder(files.#arrivals);
    await makeFolder(files.#inputs);
    await makeFolder(files.#results);
    return files;
  }

  /**
   * Returns a new path for each call, so that a worker that has lost its job does not remove the file that its
   * successor is inspecting.
   */
  arrivalPath(jobId: string, field: string): string {
    return join(this.#arrivals, `${jobId}.${field}.${randomId('a')}`);
  }

  inputPath(jobId: string, field: string): string {
    return join(this.#inputs, `${jobId}.${field}`);
  }

  resultPath(jobId: string): string {
    return join(this.#results, jobId);
  }

  /** Returns the path of a copy of the result that is small enough for the chat. */
  chatPath(jobId: string): string {
    return join(this.#results, `${jobId}.chat`);
  }

  /**
   * Removes incomplete files that dead processes left behind: those in the arrivals folder that have not changed since
   * `beforeMs`.
   */
  async removeOldArrivals(beforeMs: number): Promise<void> {
    for (const name of await readdir(this.#arrivals)) {
      const path = join(this.#arrivals, name);
      const found = await stat(path).catch(() => undefined);
      if (found && found.mtimeMs < beforeMs) await rm(path, { force: true });
    }
  }

  /** Removes all files of these jobs: inputs, results, copies of results, and files that a crash left behind. */
  async removeAll(jobIds: readonly string[]): Promise<void> {
    const folders = [this.#arrivals, this.#inputs, this.#results];
    for (const folder of folders) await removeOf(folder, new Set(jobIds));
  }

  /** Removes all files of a job's result, including those that no database row names. */
  removeResult(jobId: string): Promise<void> {
    return removeOf(this.#results, new Set([jobId]));
  }
}

async function removeOf(folder: string, jobIds: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    if (jobIds.has(name.split('.', 1)[0] ?? '')) await rm(join(folder, name), { force: true });
  }
}
