import { toUsdNumber } from '../../base/money.ts';
import type { JobErrorCode, UsageReason, WireJob } from '../../media-api/wire.ts';
import type { Links } from '../files/links.ts';
import type { JobRow } from '../store/jobs.ts';

const ERROR_TEXT: Readonly<Record<JobErrorCode, string>> = {
  face_not_detected: 'No face was found in an input',
  unsupported_format: 'An input could not be decoded',
  input_too_large: 'An input is over a size or duration limit',
  content_rejected: 'An input or the result did not pass the content check',
  processing_failed: 'The render did not complete',
};

const REASON_TEXT: Partial<Readonly<Record<UsageReason, string>>> = {
  cancelled: 'The job was cancelled',
  timed_out: 'The render took too long',
};

/**
 * Returns a job as `GET /v1/jobs/{id}` and webhooks show it: exactly five fields, with a newly signed link. As
 * documented, a successful job's link stays non-null even after the output has expired; the link then leads to a 404.
 */
export function toWireJob(job: JobRow, links: Links): WireJob {
  return {
    id: job.id,
    status: job.status,
    output_url: job.status === 'succeeded' ? links.sign('outputs', job.id) : null,
    charged_usd: job.charged === null ? null : toUsdNumber(job.charged),
    error:
      job.errorCode === null ? null : { code: job.errorCode, message: errorText(job.errorCode, job.reason) },
  };
}

function errorText(code: JobErrorCode, reason: UsageReason | null): string {
  return (reason && REASON_TEXT[reason]) ?? ERROR_TEXT[code];
}
