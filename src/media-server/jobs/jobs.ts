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
  /** How long an idempotency key keeps naming its job. */
  readonly idempotencyRetentionMs: number;
  /** The ceiling of queued and processing jobs until an administrator sets another. */
  readonly jobsInFlightMax: number;
  /** Something was queued. */
  readonly onQueued: () => void;
  /** A job ended; its webhook, if it wants one, is due. */
  readonly onEnded: (jobId: string) => void;
}

/** The life of a job from submit to its end. Each step is one transaction, true after any crash. */
export class Jobs {
  readonly #options: JobsOptions;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /**
   * Creates the job and its hold together, or answers with the job that the idempotency key already names:
   * whatever the body says now, and though the balance may be gone. A refusal binds no key.
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
   * The account's job, settled by this very request if it is the first to see its end. Throws the same
   * `not_found` for a missing job and a foreign one.
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
   * Ends a job: a failure gives its hold back at once, and the webhook is queued in the same transaction.
   * False when it had already ended.
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
      if (upload.kind !== kind) throw invalidInput(`${field}: wants ${kind}, not ${upload.kind}`);
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
