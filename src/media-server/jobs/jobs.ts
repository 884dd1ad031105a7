import type { Clock } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import type { WireSubmitted } from '../../media-api/wire.ts';
import { ApiError, invalidInput } from '../wire/api-error.ts';
import type { Billing } from '../billing/billing.ts';
import type { JobCapability } from '../capabilities/capability.ts';
import type { ServerFaults } from '../server-faults.ts';
import type { Database } from '../store/database.ts';
import { insertDelivery } from '../store/deliveries.ts';
import { bindIdempotencyKey, findReplayedJob } from '../store/idempotency.ts';
import {
  type JobEnd,
  type JobInput,
  type JobRow,
  countOpenJobs,
  findJob,
  finishJob,
  insertJob,
} from '../store/jobs.ts';
import { isCapabilityEnabled, resolveRate } from '../store/rates.ts';
import { readSetting } from '../store/settings.ts';
import { findUpload } from '../store/uploads.ts';
import type { Submission } from './submission.ts';

interface JobsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly billing: Billing;
  readonly faults: Pick<ServerFaults, 'isOutOfCapacity'>;
  /** How long an idempotency key refers to its job. */
  readonly idempotencyRetentionMs: number;
  /** The ceiling on queued and processing jobs until an administrator sets another. */
  readonly jobsInFlightMax: number;
  /** Called when a job has been queued. */
  readonly onQueued: () => void;
  /** Called when a job has ended and its webhook, if it has one, is due. */
  readonly onEnded: (jobId: string) => void;
}

/**
 * The life of a job from its submission to its end. Each step is one transaction, so the state is consistent after any
 * crash.
 */
export class Jobs {
  readonly #options: JobsOptions;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /**
   * Creates the job and its hold together, or returns the job that the idempotency key already refers to, even if the
   * body now differs or the balance is used up. A rejected submission does not use up its key.
   */
  submit(accountId: string, capability: JobCapability, submission: Submission): WireSubmitted {
    const { db } = this.#options;
    const { job, fresh } = db.transact(() => {
      const replayed = this.#replayed(accountId, submission.idempotencyKey);
      if (replayed) return { job: replayed, fresh: false };
      return { job: this.#create(accountId, capability, submission), fresh: true };
    });
    if (fresh) this.#options.onQueued();
    return { id: job.id, status: job.status, status_url: `/api/v1/jobs/${job.id}` };
  }

  /**
   * Returns the account's job. The first request to see that the job has ended also settles it. Throws the same
   * `not_found` for a missing job and for a job of another account.
   */
  read(accountId: string, jobId: string): JobRow {
    const { db, billing } = this.#options;
    const job = findJob(db, jobId);
    if (job?.accountId !== accountId) throw new ApiError('not_found', 'No such job');
    if (job.finishedAt === null || job.reconciledAt !== null) return job;
    billing.reconcile(jobId);
    return findJob(db, jobId) ?? job;
  }

  /**
   * Ends a job. If it failed, its hold is released in the same transaction. The webhook is queued in that transaction
   * as well. Returns false if the job had already ended.
   */
  end(jobId: string, end: JobEnd): boolean {
    const { db, clock, billing } = this.#options;
    const ended = db.transact(() => {
      if (!finishJob(db, jobId, end, clock.now())) return false;
      if (end.status === 'failed') billing.release(jobId);
      const callbackUrl = findJob(db, jobId)?.callbackUrl;
      if (callbackUrl) {
        const { origin } = new URL(callbackUrl);
        insertDelivery(db, { id: randomId('dlv'), jobId, origin, now: clock.now() });
      }
      return true;
    });
    if (ended) this.#options.onEnded(jobId);
    return ended;
  }

  #replayed(accountId: string, idempotencyKey: string | undefined): JobRow | undefined {
    if (idempotencyKey === undefined) return undefined;
    const { db, clock, idempotencyRetentionMs } = this.#options;
    const jobId = findReplayedJob(db, accountId, idempotencyKey, clock.now() - idempotencyRetentionMs);
    return jobId === undefined ? undefined : findJob(db, jobId);
  }

  #create(accountId: string, capability: JobCapability, submission: Submission): JobRow {
    const { db, clock, billing } = this.#options;
    const inputs = this.#findInputs(accountId, capability, submission.fileKeys);
    this.#checkOpen(capability);
    const id = randomId('job');
    const createdAt = clock.now();
    const rate = resolveRate(db, capability.feature, accountId);
    billing.hold(accountId, id, rate.hold);
    insertJob(db, {
      id,
      accountId,
      feature: capability.feature,
      request: JSON.stringify(submission.parameters),
      callbackUrl: submission.callbackUrl ?? null,
      ...rate,
      createdAt,
      inputs,
    });
    if (submission.idempotencyKey !== undefined) {
      bindIdempotencyKey(db, { accountId, value: submission.idempotencyKey, jobId: id, createdAt });
    }
    const job = findJob(db, id);
    if (!job) throw new TypeError('Cannot submit: the job was not stored');
    return job;
  }

  #findInputs(
    accountId: string,
    capability: JobCapability,
    fileKeys: Readonly<Record<string, string>>,
  ): JobInput[] {
    return Object.entries(capability.inputs).map(([field, kind]) => {
      const upload = findUpload(this.#options.db, fileKeys[field]?.slice('api/'.length) ?? '');
      if (upload?.accountId !== accountId) throw invalidInput(`${field}: no such upload`);
      if (upload.kind !== kind) throw invalidInput(`${field}: must be ${kind}, not ${upload.kind}`);
      return { field, uploadId: upload.id };
    });
  }

  #checkOpen(capability: JobCapability): void {
    const { db } = this.#options;
    if (!capability.render) {
      throw new ApiError('capability_unavailable', 'This server has no engine for this capability');
    }
    if (!isCapabilityEnabled(db, capability.feature)) {
      throw new ApiError('capability_unavailable', 'This capability is switched off at the moment');
    }
    const ceiling = readSetting(db, 'jobsInFlightMax', this.#options.jobsInFlightMax);
    if (this.#options.faults.isOutOfCapacity || countOpenJobs(db) >= ceiling) {
      throw new ApiError('at_capacity', 'Too much work is in flight; retry shortly', {
        retryAfterSeconds: 2,
      });
    }
  }
}
