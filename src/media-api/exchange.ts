import { Readable } from 'node:stream';
import { Agent, type Dispatcher, request as undiciRequest } from 'undici';
import type { Clock, Timer } from '../base/clock.ts';
import { MediaApiUnreachable, type RequestPhase } from './errors.ts';

/** A body that is made anew for each try and streamed; it must yield exactly `sizeBytes`. */
export interface StreamedBody {
  readonly sizeBytes: number;
  open(): AsyncIterable<Uint8Array>;
  /** Why yielding failed, if it did: the connection's error then only follows from it. */
  failure(): unknown;
}

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** What is being done, for errors: `submit a job`. Never holds data of the request. */
  readonly action: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | StreamedBody;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** False when the body ended early. */
  readonly complete: boolean;
  /** The body is longer than is read. */
  readonly overLimit: boolean;
}

/** Deadlines in milliseconds of one exchange, and the most bytes of an answer that are read. */
export interface ExchangeLimits {
  readonly connectMs: number;
  /** From the end of sending to the answer's headers; also the longest standstill while sending. */
  readonly headersMs: number;
  /** Everything together, for a request without a large body. */
  readonly totalMs: number;
  /** A streamed body adds its size divided by this to the total. */
  readonly uploadBytesPerSecondMin: number;
  readonly answerBytesMax: number;
}

const SOCKET_BUFFER_BYTES_MAX = 8 * 1024 * 1024;

/** One HTTP request and its answer, on connections of its own: bounded in time and size, redirects not followed. */
export class HttpExchange implements AsyncDisposable {
  readonly #agent: Agent;
  readonly #clock: Clock;
  readonly #limits: ExchangeLimits;
  #closed = false;

  constructor(clock: Clock, limits: ExchangeLimits) {
    this.#clock = clock;
    this.#limits = limits;
    // The exchange keeps all other deadlines itself, because they change with the phase of the request.
    // HTTP/1.1, so that giving up a request frees its socket.
    this.#agent = new Agent({
      allowH2: false,
      connect: { timeout: limits.connectMs },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Any status is an answer. Throws `MediaApiUnreachable`, or the error of the body's own source. */
  async send(request: ExchangeRequest, signal?: AbortSignal): Promise<Answer> {
    const watch = new ExchangeWatch(request.action, this.#clock, this.#limits, signal);
    try {
      if (this.#closed) throw watch.error('closed');
      watch.start(request.body);
      const response = await undiciRequest(request.url, {
        dispatcher: this.#agent.compose((dispatch) => (options, handler) => {
          return dispatch(options, watch.observe(handler));
        }),
        method: request.method,
        headers: headersOf(request),
        body: bodyOf(request),
        signal: watch.signal,
      });
      watch.enter('body');
      const read = await readBody(response.body, this.#limits.answerBytesMax, watch);
      return { status: response.statusCode, headers: response.headers, ...read };
    } catch (error) {
      const own = typeof request.body === 'object' ? request.body.failure() : undefined;
      throw own ?? watch.explain(error);
    } finally {
      watch.end();
    }
  }

  /** Breaks off what still runs and closes all connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#agent.destroy();
  }
}

function headersOf(request: ExchangeRequest): Record<string, string> {
  const { body } = request;
  if (typeof body !== 'object') return { ...request.headers };
  return { ...request.headers, 'content-length': String(body.sizeBytes) };
}

function bodyOf({ body }: ExchangeRequest): Readable | string | null {
  if (typeof body !== 'object') return body ?? null;
  return Readable.from(body.open(), { objectMode: false });
}

async function readBody(
  body: Dispatcher.ResponseData['body'],
  bytesMax: number,
  watch: ExchangeWatch,
): Promise<Pick<Answer, 'body' | 'complete' | 'overLimit'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      // Leaving the loop destroys the body and with it the connection.
      if (size > bytesMax) return { body: Buffer.concat(chunks), complete: false, overLimit: true };
      chunks.push(chunk);
    }
    return { body: Buffer.concat(chunks), complete: true, overLimit: false };
  } catch (error) {
    // Headers are here already, and a refusal is worth reading even when its end was cut off.
    if (watch.signal.aborted) throw error;
    return { body: Buffer.concat(chunks), complete: false, overLimit: false };
  }
}

/** Follows one exchange through its phases, with a deadline for each, and words what went wrong. */
class ExchangeWatch {
  readonly #action: string;
  readonly #clock: Clock;
  readonly #limits: ExchangeLimits;
  readonly #controller = new AbortController();
  readonly #callerSignal: AbortSignal | undefined;
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

  start(body: string | StreamedBody | undefined): void {
    const { totalMs, uploadBytesPerSecondMin } = this.#limits;
    this.#bodyBytes = typeof body === 'object' ? body.sizeBytes : 0;
    const bodyMs = (this.#bodyBytes / uploadBytesPerSecondMin) * 1000;
    this.#totalTimer = this.#clock.after(totalMs + bodyMs, () => this.#timeOut());
    this.enter('connect');
  }

  enter(phase: RequestPhase): void {
    this.#phase = phase;
    this.#phaseTimer?.cancel();
    const limitMs = this.#limitMs(phase);
    this.#phaseTimer = limitMs === undefined ? undefined : this.#clock.after(limitMs, () => this.#timeOut());
  }

  /** Learns from undici when the connection stands and when the request is sent. */
  observe(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
    return {
      onRequestStart: (controller, context) => {
        this.enter('send');
        handler.onRequestStart?.(controller, context);
      },
      onRequestSent: () => {
        // An answer may come before all of a large body was sent.
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

  error(code: MediaApiUnreachable['code'], cause?: unknown): MediaApiUnreachable {
    const phase = this.#phase;
    return new MediaApiUnreachable(this.#action, { code, phase, ambiguous: phase !== 'connect', cause });
  }

  explain(error: unknown): unknown {
    if (error instanceof MediaApiUnreachable) return error;
    if (this.#callerSignal?.aborted) return this.error('aborted', this.#callerSignal.reason);
    if (this.#controller.signal.aborted) return this.error('timed_out');
    return this.error(this.#phase === 'connect' ? 'connection_failed' : 'connection_lost', error);
  }

  end(): void {
    this.#phaseTimer?.cancel();
    this.#totalTimer?.cancel();
  }

  #limitMs(phase: RequestPhase): number | undefined {
    const { connectMs, headersMs, uploadBytesPerSecondMin } = this.#limits;
    if (phase === 'connect') return connectMs;
    if (phase === 'send') return headersMs;
    // What was "sent" of a large body may still wait in the sockets' buffers.
    const waitingBytes = Math.min(this.#bodyBytes, SOCKET_BUFFER_BYTES_MAX);
    if (phase === 'headers') return headersMs + (waitingBytes / uploadBytesPerSecondMin) * 1000;
    return undefined;
  }

  #timeOut(): void {
    this.#controller.abort(this.error('timed_out'));
  }
}
