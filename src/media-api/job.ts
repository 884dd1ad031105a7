import { type MicroUsd, parseUsd } from '../base/money.ts';
import type { JobStatus, WireJob } from './wire.ts';

/** A job as the service reports it in a poll or a webhook. `toJob` reads both. */
export interface Job {
  readonly id: string;
  /** A status that this client does not support becomes `unrecognized`. It is not final, so polling continues. */
  readonly status: JobStatus | 'unrecognized';
  /**
   * A signed link that expires and must stay secret. Only a job that succeeded has it, and even then it may be missing.
   */
  readonly outputUrl: string | null;
  /** Null means that the charge is not known yet. It never means zero. */
  readonly charged: MicroUsd | null;
  /**
   * Only a job that failed has an error, and even then it may be missing. `code` is one of `JOB_ERROR_CODES` or a newer
   * code.
   */
  readonly error: { readonly code: string } | null;
}

const STATUSES: readonly string[] = ['queued', 'processing', 'succeeded', 'failed'] satisfies JobStatus[];

/** Converts a job from the wire format. Throws `RangeError` if the amount is invalid. */
export function toJob(wire: WireJob): Job {
  const status = isJobStatus(wire.status) ? wire.status : 'unrecognized';
  return {
    id: wire.id,
    status,
    outputUrl: status === 'succeeded' ? wire.output_url : null,
    // `JSON.parse` returns the nearest double. For amounts of up to 15 digits, such as millions of dollars with six
    // decimals, its shortest notation has the digits that were sent, so `parseUsd` returns the exact amount.
    charged: wire.charged_usd === null ? null : parseUsd(wire.charged_usd),
    error: status === 'failed' && wire.error ? { code: wire.error.code.slice(0, 100) } : null,
  };
}

/** Whether the job has reached a final state. */
export function isTerminal(job: Job): boolean {
  return job.status === 'succeeded' || job.status === 'failed';
}

function isJobStatus(status: string): status is JobStatus {
  return STATUSES.includes(status);
}
