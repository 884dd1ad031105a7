import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../base/make-folder.ts';

/** The files of jobs under `DATA_DIR`: inputs and results for as long as they are kept. */
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

  /** Of a copy of the result that is small enough for the chat. */
  chatPath(jobId: string): string {
    return join(this.#results, `${jobId}.chat`);
  }

  async removeInputs(jobId: string, fields: readonly string[]): Promise<void> {
    for (const field of fields) await rm(this.inputPath(jobId, field), { force: true });
  }
}
