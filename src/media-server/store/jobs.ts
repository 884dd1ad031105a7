import type { MicroUsd } from '../../base/money.ts';
import type { Capability, JobErrorCode, JobStatus, UsageReason } from '../../media-api/wire.ts';
import type { Database } from './database.ts';

export interface JobRow {
  readonly id: string;
  readonly accountId: string;
  readonly feature: Capability;
  /** The fields of the body other than the input keys, as JSON. */
  readonly request: string;
  readonly callbackUrl: string | null;
  /** The rates at submission. The job is billed at these rates even if they change later. */
  readonly rate: MicroUsd;
  readonly minimum: MicroUsd;
  readonly hold: MicroUsd;
  readonly status: JobStatus;
  /** The number of renders that were started, not counting those that an orderly stop interrupted. */
  readonly renders: number;
  readonly outputFile: string | null;
  readonly outputMime: string | null;
  /** The length or count of the output, in thousandths of the billed unit. */
  readonly milliUnits: number | null;
  readonly errorCode: JobErrorCode | null;
  readonly reason: UsageReason | null;
  readonly charged: MicroUsd | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  readonly reconciledAt: number | null;
  readonly outputDeletedAt: number | null;
}

type NewJob = Pick<
  JobRow,
  'id' | 'accountId' | 'feature' | 'request' | 'callbackUrl' | 'rate' | 'minimum' | 'hold' | 'createdAt'
> & { readonly inputs: readonly JobInput[] };

export interface JobInput {
  /** The body field that contained the key, such as `image_key`. */
  readonly field: string;
  readonly uploadId: string;
}

const COLUMNS = `id, accountId, feature, request, callbackUrl, rate, minimum, hold, status, renders,
  outputFile, outputMime, milliUnits, errorCode, reason, charged, createdAt, finishedAt, reconciledAt,
  outputDeletedAt`;

export function insertJob(db: Database, job: NewJob): void {
  db.run(
    `INSERT INTO jobs (id, accountId, feature, request, callbackUrl, rate, minimum, hold, createdAt)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    job.id,
    job.accountId,
    job.feature,
    job.request,
    job.callbackUrl,
    job.rate,
    job.minimum,
    job.hold,
    job.createdAt,
  );
  for (const input of job.inputs) {
    db.run(
      'INSERT INTO jobInputs (jobId, field, uploadId) VALUES (?, ?, ?)',
      job.id,
      input.field,
      input.uploadId,
    );
  }
}

export function findJob(db: Database, id: string): JobRow | undefined {
  return db.get(`SELECT ${COLUMNS} FROM jobs WHERE id = ?`, id);
}

export function jobInputs(db: Database, jobId: string): JobInput[] {
  return db.all('SELECT field, uploadId FROM jobInputs WHERE jobId = ?', jobId);
}

/** Counts the queued and processing jobs of all accounts. */
export function countOpenJobs(db: Database): number {
  return db.get<{ n: number }>('SELECT count(*) AS n FROM jobs WHERE finishedAt IS NULL')?.n ?? 0;
}

/**
 * Takes the next job for this run of the server. A job that an earlier run left behind comes first. Otherwise it takes
 * the oldest job of the account with the fewest running renders. Among several such accounts, the one that was served
 * longest ago comes first.
 */
export function claimJob(db: Database, runId: string, now: number): JobRow | undefined {
  return db.transact(() => {
    const next =
      db.get<{ id: string }>(
        "SELECT id FROM jobs WHERE status = 'processing' AND finishedAt IS NULL AND runId IS NOT ? ORDER BY seq LIMIT 1",
        runId,
      ) ??
      db.get<{ id: string }>(
        `SELECT id FROM jobs WHERE status = 'queued' AND finishedAt IS NULL AND accountId = (
           SELECT a.id FROM accounts a
            WHERE EXISTS (SELECT 1 FROM jobs q WHERE q.status = 'queued' AND q.finishedAt IS NULL AND q.accountId = a.id)
            ORDER BY (SELECT count(*) FROM jobs p
                       WHERE p.status = 'processing' AND p.finishedAt IS NULL AND p.accountId = a.id),
                     a.lastServedAt, a.id
            LIMIT 1)
         ORDER BY seq LIMIT 1`,
      );
    if (!next) return undefined;
    const job = db.get<JobRow>(
      `UPDATE jobs SET status = 'processing', runId = ?, renders = renders + 1 WHERE id = ? RETURNING ${COLUMNS}`,
      runId,
      next.id,
    );
    if (job) {
      db.run(
        'UPDATE accounts SET lastServedAt = (SELECT max(max(lastServedAt) + 1, ?) FROM accounts) WHERE id = ?',
        now,
        job.accountId,
      );
    }
    return job;
  });
}

/** Decrements the count of renders after an orderly stop interrupted one. */
export function uncountRender(db: Database, id: string): void {
  db.run('UPDATE jobs SET renders = renders - 1 WHERE id = ? AND finishedAt IS NULL', id);
}

/** The result of a job. */
export type JobEnd =
  | {
      readonly status: 'succeeded';
      readonly outputFile: string;
      readonly outputMime: string;
      readonly milliUnits: number;
      readonly outputExpiresAt: number;
    }
  | { readonly status: 'failed'; readonly errorCode: JobErrorCode; readonly reason: UsageReason };

/** Ends an unfinished job. Returns false if it had already ended. */
export function finishJob(db: Database, id: string, end: JobEnd, now: number): boolean {
  if (end.status === 'failed') {
    return (
      db.run(
        `UPDATE jobs SET status = 'failed', errorCode = ?, reason = ?, finishedAt = ?
          WHERE id = ? AND finishedAt IS NULL`,
        end.errorCode,
        end.reason,
        now,
        id,
      ) > 0
    );
  }
  return (
    db.run(
      `UPDATE jobs SET status = 'succeeded', outputFile = ?, outputMime = ?, milliUnits = ?,
          outputExpiresAt = ?, finishedAt = ?
        WHERE id = ? AND finishedAt IS NULL`,
      end.outputFile,
      end.outputMime,
      end.milliUnits,
      end.outputExpiresAt,
      now,
      id,
    ) > 0
  );
}

/** Settles a finished job at `charged`. Returns false if it was already settled. */
export function markReconciled(db: Database, id: string, charged: MicroUsd, now: number): boolean {
  return (
    db.run(
      `UPDATE jobs SET charged = ?, reconciledAt = ?
        WHERE id = ? AND finishedAt IS NOT NULL AND reconciledAt IS NULL`,
      charged,
      now,
      id,
    ) > 0
  );
}

/** Returns jobs that finished at or before `until` and have not been settled since. */
export function unreconciledJobs(db: Database, until: number, limit: number): string[] {
  const rows = db.all<{ id: string }>(
    `SELECT id FROM jobs WHERE reconciledAt IS NULL AND finishedAt IS NOT NULL AND finishedAt <= ?
      ORDER BY finishedAt LIMIT ?`,
    until,
    limit,
  );
  return rows.map((row) => row.id);
}

/** Marks expired outputs as deleted and returns their file names. */
export function expireOutputs(db: Database, now: number, limit: number): string[] {
  const rows = db.all<{ outputFile: string }>(
    `UPDATE jobs SET outputDeletedAt = ? WHERE id IN (
       SELECT id FROM jobs WHERE outputDeletedAt IS NULL AND outputExpiresAt <= ? LIMIT ?)
     RETURNING outputFile`,
    now,
    now,
    limit,
  );
  return rows.map((row) => row.outputFile);
}
