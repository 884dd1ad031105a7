import type { Dispatcher } from '../base/http-client.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { MediaApiUnreachable, type RequestPhase } from './errors.ts';

/** The deadlines of one exchange, in milliseconds, and the maximum number of bytes that are read from an answer. */
export interface ExchangeLimits {
  readonly connectMs: number;
  /** The longest time from the end of sending to the answer's headers, and the longest stall while sending. */
  readonly headersMs: number;
  /** The limit for the whole exchange if the request has no streamed body. */
  readonly totalMs: number;
  /** A streamed body increases the total limit by its size divided by this rate (bytes per second). */
  readonly uploadBytesPerSecondMin: number;
  readonly answerBytesMax: number;
}

const SOCKET_BUFFER_BYTES_MAX = 8 * 1024 * 1024;

/** Follows one exchange through its phases, with a deadline for each, and converts its errors. */
export class ExchangeWatch {
  readonly #action: string;
  readonly #clock: Clock;
  readonly #limits: ExchangeLimits;
  readonly #controller = new AbortController();
  readonly #callerSignal: AbortSignal | undefined;
  /** Aborts at a deadline, or with the caller's own signal. */
  readonly signal: AbortSignal;
  #phase: RequestPhase = 'connect';
  #bodyBytes = 0;
  #phaseTimer: Timer | undefined;
  #totalTimer: Timer | undefined;

  constructor(action: string, clock: Clock, limits: ExchangeLimits, callerSignal?: AbortSignal) {
    this.#action = action;
    this.#clock = clock;
    this.#limits = limits;
    this.#callerSignal = callerSignal;
    this.signal = callerSignal
      ? AbortSignal.any([callerSignal, this.#controller.signal])
      : this.#controller.signal;
  }

  /** Starts the deadlines for a request with a streamed body of `bodyBytes` (0: none). */
  start(bodyBytes: number): void {
    const { totalMs, uploadBytesPerSecondMin } = this.#limits;
    this.#bodyBytes = bodyBytes;
    const bodyMs = (bodyBytes / uploadBytesPerSecondMin) * 1000;
    this.#totalTimer = this.#clock.after(totalMs + bodyMs, () => this.#timeOut());
    this.enter('connect');
  }

  /** Starts the deadline of `phase` and cancels the previous one. */
  enter(phase: RequestPhase): void {
    this.#phase = phase;
    this.#phaseTimer?.cancel();
    const limitMs = this.#limitMs(phase);
    this.#phaseTimer = limitMs === undefined ? undefined : this.#clock.after(limitMs, () => this.#timeOut());
  }

  /** Wraps undici's handler to detect when the connection is open and when the request has been sent. */
  observe(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
    return {
      onRequestStart: (controller, context) => {
        this.enter('send');
        handler.onRequestStart?.(controller, context);
      },
      onRequestSent: () => {
        // An answer may arrive before a large body has been sent completely.
        if (this.#phase === 'send') this.enter('headers');
        handler.onRequestSent?.();
      },
      onBodySent: (chunk) => {
        if (this.#phase === 'send') this.enter('send');
        handler.onBodySent?.(chunk);
      },
      onResponseStarted: () => handler.onResponseStarted?.(),
      onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
      onResponseStart: (...start) => handler.onResponseStart?.(...start),
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...failure) => handler.onResponseError?.(...failure),
    };
  }

  /** Returns the error for an exchange that ends in the current phase. */
  error(code: MediaApiUnreachable['code'], cause?: unknown): MediaApiUnreachable {
    const phase = this.#phase;
    return new MediaApiUnreachable(this.#action, { code, phase, ambiguous: phase !== 'connect', cause });
  }

  /** Converts an undici error to a `MediaApiUnreachable`. */
  explain(error: unknown): unknown {
    if (error instanceof MediaApiUnreachable) return error;
    if (this.#callerSignal?.aborted) return this.error('aborted', this.#callerSignal.reason);
    if (this.#controller.signal.aborted) return this.error('timed_out');
    return this.error(this.#phase === 'connect' ? 'connection_failed' : 'connection_lost', error);
  }

  /** Cancels the deadlines. */
  end(): void {
    this.#phaseTimer?.cancel();
    this.#totalTimer?.cancel();
  }

  #limitMs(phase: RequestPhase): number | undefined {
    const { connectMs, headersMs, uploadBytesPerSecondMin } = this.#limits;
    if (phase === 'connect') return connectMs;
    if (phase === 'send') return headersMs;
    // A large body counts as sent although its last bytes may still be waiting in the sockets' buffers.
    const waitingBytes = Math.min(this.#bodyBytes, SOCKET_BUFFER_BYTES_MAX);
    if (phase === 'headers') return headersMs + (waitingBytes / uploadBytesPerSecondMin) * 1000;
    return undefined;
  }

  #timeOut(): void {
    this.#controller.abort(this.error('timed_out'));
  }
}
