import { ServiceError } from '../base/errors.ts';

/**
 * How the caller may retry after a refusal. `never`: the same request will not succeed; `slow_down`: the key's rate
 * limit has been reached; `soon`: the service has no capacity at the moment; `warming`: the service will be ready in
 * about a minute; `service_fault`: the service failed and bills nothing.
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
 * The service refused the request. `code` is the envelope's code unchanged, or `http_<status>` if a 4xx response had no
 * envelope. Callers decide by `retry`, `status` and `code`; the service's free text is not kept.
 */
export class MediaApiRefusal extends ServiceError {
  readonly status: number;
  readonly retry: RefusalRetry;
  /** The wait in milliseconds that the service requested, or null if it did not. */
  readonly retryAfterMs: number | null;
  /**
   * Whether the service may have carried out the request, or an earlier attempt of the same call, in spite of the
   * error.
   */
  readonly ambiguous: boolean;
  /** Whether this client refused the request before it sent anything. */
  readonly local: boolean;

  constructor(action: string, details: RefusalDetails) {
    const { status, code, cause } = details;
    super(code, `Cannot ${action}: refused with ${status} "${code}"`, { cause });
    this.status = status;
    this.retry = refusalRetry(status, code);
    this.retryAfterMs = details.retryAfterMs ?? null;
    // The service may fail after the request took effect, but it detects a lack of capacity before any work starts.
    this.ambiguous = details.ambiguous ?? this.retry === 'service_fault';
    this.local = details.local ?? false;
  }
}

/** The phase in which a request ended without an answer. */
export type RequestPhase = 'queue' | 'connect' | 'send' | 'headers' | 'body' | 'answer';

type UnreachableCode =
  /** The caller's signal aborted. */
  | 'aborted'
  | 'timed_out'
  | 'connection_failed'
  | 'connection_lost'
  /** The answer is not what the API documents, such as a proxy's page, broken JSON or missing fields. */
  | 'bad_answer'
  | 'answer_too_large'
  /** The service redirected the request. Requests with the key never follow redirects. */
  | 'redirected'
  /** Too many requests are waiting for the key's rate limit, or this one waited too long. */
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

/** The request got no answer, or an answer that this client does not understand. */
export class MediaApiUnreachable extends ServiceError<UnreachableCode> {
  readonly phase: RequestPhase;
  /** Whether the request may have been carried out. If so, it may only be repeated under the same idempotency key. */
  readonly ambiguous: boolean;
  /** The status of an answer that was not understood, or null. */
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

/** Returns how the caller may retry. For an undocumented code, the class of the status decides. */
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
