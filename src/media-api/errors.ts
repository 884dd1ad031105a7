import { ServiceError } from '../base/errors.ts';

/**
 * What a refusal asks of the caller. `never`: the same request will not succeed; `slow_down`: the key's rate
 * limit; `soon`: no capacity this moment; `warming`: in about a minute; `service_fault`: broken, nothing billed.
 */
export type RefusalRetry = 'never' | 'slow_down' | 'soon' | 'warming' | 'service_fault';

interface RefusalDetails {
  readonly status: number;
  readonly code: string;
  readonly retryAfterMs?: number | null;
  readonly ambiguous?: boolean;
  readonly local?: boolean;
  readonly cause?: unknown;
}

/**
 * The service said no. `code` is the envelope's, verbatim, or `http_<status>` when a 4xx came without an
 * envelope. Decide on `retry`, `status` and `code`; the service's free text is not kept.
 */
export class MediaApiRefusal extends ServiceError {
  readonly status: number;
  readonly retry: RefusalRetry;
  /** How long the service asked to wait, in milliseconds, if it said so. */
  readonly retryAfterMs: number | null;
  /** The request, or an earlier try of it in the same call, may have been carried out all the same. */
  readonly ambiguous: boolean;
  /** Refused by this client before anything was sent. */
  readonly local: boolean;

  constructor(action: string, details: RefusalDetails) {
    const { status, code, cause } = details;
    super(code, `Cannot ${action}: refused with ${status} "${code}"`, { cause });
    this.status = status;
    this.retry = refusalRetry(status, code);
    this.retryAfterMs = details.retryAfterMs ?? null;
    // A fault may come after the effect; want of capacity is seen before anything is begun.
    this.ambiguous = details.ambiguous ?? this.retry === 'service_fault';
    this.local = details.local ?? false;
  }
}

/** Where a request was when it ended without an answer. */
export type RequestPhase = 'queue' | 'connect' | 'send' | 'headers' | 'body' | 'answer';

type UnreachableCode =
  /** The caller's signal. */
  | 'aborted'
  | 'timed_out'
  | 'connection_failed'
  | 'connection_lost'
  /** Not what the document describes: a proxy's page, broken JSON, missing fields. */
  | 'bad_answer'
  | 'answer_too_large'
  /** The service sent the request elsewhere; keyed requests never follow. */
  | 'redirected'
  /** Too many requests wait for the key's rate limit, or this one waited too long. */
  | 'queue_full'
  | 'queue_timed_out'
  /** The client was disposed. */
  | 'closed';

interface UnreachableDetails {
  readonly code: UnreachableCode;
  readonly phase: RequestPhase;
  readonly ambiguous: boolean;
  readonly status?: number | null;
  readonly cause?: unknown;
}

/** The service could not be asked, or its answer not understood. */
export class MediaApiUnreachable extends ServiceError<UnreachableCode> {
  readonly phase: RequestPhase;
  /** The request may have been carried out: repeat it only under the same idempotency key. */
  readonly ambiguous: boolean;
  /** The status of an answer that was not understood. */
  readonly status: number | null;

  constructor(action: string, details: UnreachableDetails) {
    const { code, phase, cause } = details;
    super(code, `Cannot ${action}: ${code} (${phase})`, { cause });
    this.phase = phase;
    this.ambiguous = details.ambiguous;
    this.status = details.status ?? null;
  }
}

export type MediaApiError = MediaApiRefusal | MediaApiUnreachable;

export function isMediaApiError(error: unknown): error is MediaApiError {
  return error instanceof MediaApiRefusal || error instanceof MediaApiUnreachable;
}

/** What (status, code) asks of the caller; codes newer than the document go by the class of the status. */
function refusalRetry(status: number, code: string): RefusalRetry {
  if (status === 429) return code === 'at_capacity' ? 'soon' : 'slow_down';
  if (status < 500) return 'never';
  switch (code) {
    case 'capacity_warming':
      return 'warming';
    case 'capacity_unavailable':
    case 'capability_unavailable':
    case 'at_capacity':
      return 'soon';
    case 'rate_limited':
      return 'slow_down';
    default:
      return 'service_fault';
  }
}
