import { type MicroUsd, parseUsd } from '../base/money.ts';
import type { JobStatus, WireJob } from './wire.ts';

/** A job as the service sees it, from a poll or a webhook: both are read by `toJob`. */
export interface Job {
  readonly id: string;
  /** A status this client does not know is `unrecognized`: not an end, keep asking. */
  readonly status: JobStatus | 'unrecognized';
  /** Signed and expiring, a secret. Only on a job that succeeded, and even there it may still be missing. */
  readonly outputUrl: string | null;
  /** Null is "not yet", never zero. */
  readonly charged: MicroUsd | null;
  /** Only on a job that failed, and even there it may be missing. `code` is one of `JOB_ERROR_CODES` or newer. */
  readonly error: { readonly code: string } | null;
}

const STATUSES: readonly string[] = ['queued', 'processing', 'succeeded', 'failed'] satisfies JobStatus[];

/** Throws `RangeError` when the amount is not one. */
export function toJob(wire: WireJob): Job {
  const status = isJobStatus(wire.status) ? wire.status : 'unrecognized';
  return {
    id: wire.id,
    status,
    outputUrl: status === 'succeeded' ? wire.output_url : null,
    // JSON.parse keeps the nearest double, whose shortest text is the digits that were sent, for any amount of
    // up to 15 digits (millions of dollars to the micro-dollar); parseUsd then works on those digits alone.
    charged: wire.charged_usd === null ? null : parseUsd(wire.charged_usd),
    error: status === 'failed' && wire.error ? { code: wire.error.code.slice(0, 100) } : null,
  };
}

/** Whether the job has reached a state it cannot leave. */
export function isTerminal(job: Job): boolean {
  return job.status === 'succeeded' || job.status === 'failed';
}

function isJobStatus(status: string): status is JobStatus {
  return STATUSES.includes(status);
}
