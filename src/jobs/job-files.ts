import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../base/make-folder.ts';

/** The files of jobs under `DATA_DIR`: inputs until the job is settled, results for as long as they are kept. */
export class JobFiles {
  readonly #inputs: string;
  readonly #results: string;

  private constructor(dataDir: string) {
    this.#inputs = join(dataDir, 'inputs');
    this.#results = join(dataDir, 'results');
  }

  /** Makes the folders, readable by this user only. Throws `FolderError`. */
  static async open(dataDir: string): Promise<JobFiles> {
    const files = new JobFiles(dataDir);
    await makeFolder(files.#inputs);
    await makeFolder(files.#results);
    return files;
  }

  inputPath(jobId: string, field: string): string {
    return join(this.#inputs, `${jobId}.${field}`);
  }

  resultPath(jobId: string): string {
    return join(this.#results, jobId);
  }

  async removeInputs(jobId: string, fields: readonly string[]): Promise<void> {
    for (const field of fields) await rm(this.inputPath(jobId, field), { force: true });
  }

  /** Removes every file of these jobs: inputs, results, and what a crash left of either. */
  async removeAll(jobIds: readonly string[]): Promise<void> {
    const ids = new Set(jobIds);
    for (const folder of [this.#inputs, this.#results]) {
      for (const name of await readdir(folder)) {
        if (ids.has(name.split('.', 1)[0] ?? '')) await rm(join(folder, name), { force: true });
      }
    }
  }
}
