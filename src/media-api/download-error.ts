import { ServiceError } from '../base/errors.ts';

type DownloadErrorCode =
  /** The link is dead (403, 404, 410): ask the job for a fresh one. */
  | 'link_expired'
  /** Not a link that may be fetched: malformed, not https, or to an address that is not public. */
  | 'link_refused'
  | 'redirected'
  | 'too_large'
  | 'empty'
  /** Any other status. */
  | 'bad_status'
  | 'connection_failed'
  /** Broken off before the announced end. */
  | 'cut_short'
  | 'timed_out'
  | 'aborted';

/** A result could not be fetched. Nothing is left on disk. Its text never holds the link. */
export class DownloadError extends ServiceError<DownloadErrorCode> {
  readonly status: number | null;

  constructor(code: DownloadErrorCode, options: { status?: number; cause?: unknown } = {}) {
    const status = options.status === undefined ? '' : ` ${options.status}`;
    super(code, `Cannot fetch a result: ${code}${status}`, { cause: options.cause });
    this.status = options.status ?? null;
  }
}
