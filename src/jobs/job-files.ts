import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError, systemErrorCode } from '../base/errors.ts';

/** The folders of jobs' files cannot be made. */
export class JobFilesError extends ServiceError<'unwritable'> {}

/** The files of jobs under `DATA_DIR`: inputs until the job is settled, results for as long as they are kept. */
export class JobFiles {
  readonly #inputs: string;
  readonly #results: string;

  private constructor(dataDir: string) {
    this.#inputs = join(dataDir, 'inputs');
    this.#results = join(dataDir, 'results');
  }

  /** Makes the folders, readable by this user only. Throws `JobFilesError`. */
  static async open(dataDir: string): Promise<JobFiles> {
    const files = new JobFiles(dataDir);
    try {
      await mkdir(files.#inputs, { recursive: true, mode: 0o700 });
      await mkdir(files.#results, { recursive: true, mode: 0o700 });
      return files;
    } catch (error) {
      const why = systemErrorCode(error) ?? 'unknown';
      throw new JobFilesError('unwritable', `Cannot keep files in "${dataDir}": ${why}`, { cause: error });
    }
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
}
