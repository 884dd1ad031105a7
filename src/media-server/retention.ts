import { rm } from 'node:fs/promises';
import type { Clock, Timer } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Billing } from './billing/billing.ts';
import type { MediaFiles } from './files/media-files.ts';
import type { Database } from './store/database.ts';
import { deleteIdempotencyKeys } from './store/idempotency.ts';
import { expireOutputs, findJob, unreconciledJobs } from './store/jobs.ts';
import { deleteRetiredSigningSecrets } from './store/signing-secrets.ts';
import { expireUploads, findUpload } from './store/uploads.ts';

const ROUND_MS = 600_000;
const BATCH = 1_000;
/** A finished job that no client reads is settled after this time. */
const RECONCILE_AFTER_MS = 3_600_000;

interface RetentionOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly billing: Billing;
  readonly files: MediaFiles;
  readonly idempotencyRetentionMs: number;
}

/** Deletes expired data and settles finished jobs that no client has read, every ten minutes. */
export class Retention implements AsyncDisposable {
  readonly #options: RetentionOptions;
  #timer: Timer | undefined;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** Deletes files that a killed server left without a database row, then starts the rounds. */
  async start(): Promise<void> {
    await this.#removeStrays();
    this.#next();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#round;
  }

  #next(): void {
    this.#round = this.#tidy().finally(() => {
      if (this.#stopped) return;
      this.#timer = this.#options.clock.after(ROUND_MS, () => this.#next(), { background: true });
    });
  }

  async #tidy(): Promise<void> {
    const { db, clock, logger, billing, files, idempotencyRetentionMs } = this.#options;
    const now = clock.now();
    try {
      deleteIdempotencyKeys(db, now - idempotencyRetentionMs);
      deleteRetiredSigningSecrets(db, now);
      await this.#each(
        () => unreconciledJobs(db, now - RECONCILE_AFTER_MS, BATCH),
        (id) => billing.reconcile(id),
      );
      await this.#each(
        () => expireUploads(db, now, BATCH),
        (id) => remove(files.upload(id)),
      );
      await this.#each(
        () => expireOutputs(db, now, BATCH),
        (name) => remove(files.output(name)),
      );
    } catch (error) {
      logger.error({ error }, 'Cannot tidy up');
    }
  }

  /** Processes one batch after another. If one item fails, the others are still processed. */
  async #each(nextBatch: () => readonly string[], work: (id: string) => unknown): Promise<void> {
    while (!this.#stopped) {
      const batch = nextBatch();
      const done = await this.#attempt(batch, work);
      if (batch.length < BATCH || done === 0) return;
    }
  }

  /** Returns the number of items that succeeded. */
  async #attempt(ids: readonly string[], work: (id: string) => unknown): Promise<number> {
    let done = 0;
    for (const id of ids) {
      try {
        await work(id);
        done += 1;
      } catch (error) {
        this.#options.logger.error({ error, id }, 'Cannot tidy up');
      }
    }
    return done;
  }

  async #removeStrays(): Promise<void> {
    const { db, files } = this.#options;
    const kept = await files.list();
    const uploads = kept.uploads.filter((id) => !findUpload(db, id));
    const outputs = kept.outputs.filter((name) => {
      const job = findJob(db, name);
      return !job?.outputFile || job.outputDeletedAt !== null;
    });
    await this.#attempt(uploads, (id) => remove(files.upload(id)));
    await this.#attempt(outputs, (name) => remove(files.output(name)));
  }
}

function remove(path: string): Promise<void> {
  return rm(path, { force: true });
}
