import { ServiceError } from '../base/errors.ts';

type DownloadErrorCode =
  /** The link no longer works (403, 404, 410). Fetching the job again returns a fresh link. */
  | 'link_expired'
  /** The link must not be fetched: it is malformed, not https, or leads to an address that is not public. */
  | 'link_refused'
  | 'redirected'
  | 'too_large'
  | 'empty'
  /** The server answered with another unexpected status. */
  | 'bad_status'
  | 'connection_failed'
  /** The body ended before it reached its announced length. */
  | 'cut_short'
  | 'timed_out'
  | 'aborted';

/** A result could not be downloaded. No file is left on disk. The message never contains the link. */
export class DownloadError extends ServiceError<DownloadErrorCode> {
  readonly status: number | null;

  constructor(code: DownloadErrorCode, options: { status?: number; cause?: unknown } = {}) {
    const status = options.status === undefined ? '' : ` ${options.status}`;
    super(code, `Cannot fetch a result: ${code}${status}`, { cause: options.cause });
    this.status = options.status ?? null;
  }
}
