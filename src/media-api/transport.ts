import { type Clock, sleep } from '../base/clock.ts';
import { LinkedSignal } from '../base/linked-signal.ts';
import type { Logger } from '../base/log.ts';
import { type Backoff, backoffMs } from '../base/retry.ts';
import { readAnswer } from './read-answer.ts';
import { type MediaApiError, MediaApiRefusal, MediaApiUnreachable, isMediaApiError } from './errors.ts';
import type { ExchangeRequest, HttpExchange, StreamedBody } from './exchange.ts';
import type { KeyCircuit } from './key-circuit.ts';
import type { Priority, RateBudget } from './rate-budget.ts';

/** Options for every call. */
export interface CallOptions {
  /** Ends the call in any phase, with a `MediaApiUnreachable` whose code is `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** The priority for the key's rate limit. Each method documents its own default. */
  readonly priority?: Priority | undefined;
  /**
   * Whether a refusal for lack of capacity is passed on at once rather than retried, for callers with their own queue.
   */
  readonly returnsForCapacity?: boolean | undefined;
  /** Called for each attempt that may have been carried out although no answer arrived. */
  readonly onUncertain?: (() => void) | undefined;
}

interface ApiRequest<T> {
  readonly method: 'GET' | 'POST';
  /** A path below the base URL that starts with a slash, or a URL on the API's own origin. */
  readonly target: string | URL;
  /** The action for errors and logs. It never contains request data. */
  readonly action: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | StreamedBody;
  /** Parses the answer. Throws if it is not as documented. */
  readonly decode: (json: unknown) => T;
  readonly priority: Priority;
  /** The largest number of attempts. Another attempt is made only after an error that allows it. */
  readonly attemptsMax: number;
}

interface TransportParts {
  readonly baseUrl: URL;
  readonly apiKey: () => string;
  readonly exchange: HttpExchange;
  readonly budget: RateBudget;
  readonly circuit: KeyCircuit;
  /** The wait between attempts if the service requested none. */
  readonly backoff: Backoff;
  readonly clock: Clock;
  readonly logger: Logger;
}

const ASKED_WAIT_MS_MAX = 60_000;
const RATE_LIMITED_FREEZE_MS = 60_000;
const RATE_LIMITED_JITTER: Backoff = { delayMsFirst: 2000, delayMsMax: 2000 };
/** The number of refusals by the rate limit that end one call. They do not count towards `attemptsMax`. */
const RATE_LIMITED_MAX = 5;

/**
 * Sends every request with the key: waits for the rate limit, adds the key, reads the answer and repeats the request
 * where that is safe. A repeated submission has the same `Idempotency-Key`.
 */
export class Transport implements Disposable {
  readonly #parts: TransportParts;
  readonly #closing = new AbortController();

  constructor(parts: TransportParts) {
    this.#parts = parts;
  }

  get baseUrl(): URL {
    return this.#parts.baseUrl;
  }

  /**
   * Throws `MediaApiRefusal` if the service refused the request, and `MediaApiUnreachable` if it gave no usable answer.
   */
  async call<T>(request: ApiRequest<T>, options: CallOptions = {}): Promise<T> {
    using linked = new LinkedSignal(options.signal, this.#closing.signal);
    const { signal } = linked;
    const priority = options.priority ?? request.priority;
    let ambiguous = false;
    let rateLimited = 0;
    for (let attempt = 1; ;) {
      try {
        return await this.#once(request, priority, signal);
      } catch (error) {
        if (!isMediaApiError(error)) throw error;
        if (error.ambiguous) options.onUncertain?.();
        ambiguous = isAmbiguous(error, ambiguous);
        const isRateLimited = error instanceof MediaApiRefusal && error.retry === 'slow_down';
        const triesLeft = isRateLimited ? ++rateLimited < RATE_LIMITED_MAX : attempt++ < request.attemptsMax;
        if (!triesLeft || !isWorthRepeating(error, options))
          throw this.#final(request.action, error, ambiguous);
        await this.#beforeRepeat(request.action, error, attempt, signal).catch((cause: unknown) => {
          if (!signal.aborted) throw cause;
          const aborted = { code: 'aborted', phase: 'queue', ambiguous, cause } as const;
          throw this.#final(request.action, new MediaApiUnreachable(request.action, aborted), ambiguous);
        });
      }
    }
  }

  /** Ends all calls with `closed`, and rejects new ones. */
  [Symbol.dispose](): void {
    this.#closing.abort();
  }

  async #once<T>(request: ApiRequest<T>, priority: Priority, signal: AbortSignal): Promise<T> {
    const { circuit, budget, apiKey, exchange } = this.#parts;
    circuit.assertUsable(apiKey(), request.action);
    await budget.take(priority, signal);
    // The wait for a slot may have been long, so the key may have been changed or rejected in the meantime.
    const key = apiKey();
    circuit.pass(key, request.action);
    const answer = await exchange.send(this.#toExchange(request, key), signal);
    if (answer.status === 401) circuit.refused(key);
    else if (answer.status < 500) circuit.accepted(key);
    return readAnswer(request, answer, this.#parts.clock);
  }

  /**
   * Returns the error to throw. It covers all attempts of the call, and distinguishes whether this client was disposed
   * or the caller aborted.
   */
  #final(action: string, error: MediaApiError, ambiguous: boolean): MediaApiError {
    const { status, code, cause } = error;
    if (error instanceof MediaApiUnreachable) {
      const ownCode = this.#closing.signal.aborted ? 'closed' : error.code;
      const details = { code: ownCode, phase: error.phase, status, cause, ambiguous } as const;
      return new MediaApiUnreachable(action, details);
    }
    const { retryAfterMs, local } = error;
    return new MediaApiRefusal(action, { status: error.status, code, cause, retryAfterMs, local, ambiguous });
  }

  /** Waits as long as the error requires. Throws the signal's reason when it aborts. */
  async #beforeRepeat(
    action: string,
    error: MediaApiError,
    attempt: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { budget, clock, logger, backoff } = this.#parts;
    const askedMs = error instanceof MediaApiRefusal ? error.retryAfterMs : null;
    if (error instanceof MediaApiRefusal && error.retry === 'slow_down') {
      await budget.freeze((askedMs ?? RATE_LIMITED_FREEZE_MS) + backoffMs(RATE_LIMITED_JITTER, 1));
      return;
    }
    const delayMs = Math.min(askedMs ?? 0, ASKED_WAIT_MS_MAX) + backoffMs(backoff, attempt - 1);
    logger.debug(
      { action, attempt, code: error.code, delayMs },
      'Trying a request to the media service again',
    );
    await sleep(clock, delayMs, signal);
  }

  #toExchange(request: ApiRequest<unknown>, key: string): ExchangeRequest {
    const { method, action, body } = request;
    return {
      method,
      action,
      url: this.#resolve(request.target),
      headers: { accept: 'application/json', ...request.headers, authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body }),
    };
  }

  #resolve(target: string | URL): URL {
    const { baseUrl } = this.#parts;
    const url = typeof target === 'string' ? new URL(baseUrl.href.replace(/\/$/, '') + target) : target;
    if (url.origin !== baseUrl.origin) throw new TypeError('Cannot send the key to another origin');
    return url;
  }
}

/** Whether the request may have been carried out although it ended with this error. */
function isAmbiguous(error: MediaApiError, before: boolean): boolean {
  // If a repeated request under the same key is refused permanently, the first attempt had no effect, unless the
  // service refused the repetition because of its API key (401, 403).
  const isVerdict = error instanceof MediaApiRefusal && error.retry === 'never' && !error.local;
  if (isVerdict && error.status !== 401 && error.status !== 403) return false;
  return before || error.ambiguous;
}

function isWorthRepeating(error: MediaApiError, { returnsForCapacity = false }: CallOptions): boolean {
  if (error instanceof MediaApiRefusal) {
    if (error.retry === 'soon') return !returnsForCapacity;
    return error.retry === 'slow_down' || error.retry === 'service_fault';
  }
  const { code } = error;
  return (
    code === 'timed_out' ||
    code === 'connection_failed' ||
    code === 'connection_lost' ||
    code === 'bad_answer'
  );
}
