import { Readable } from 'node:stream';
import { Agent, type Dispatcher, request as undiciRequest } from '../base/http-client.ts';
import type { Clock } from '../base/clock.ts';
import { type WireNote, noteWire, routeOf } from '../base/wire-note.ts';
import { type ExchangeLimits, ExchangeWatch } from './exchange-watch.ts';

/** A body that is created again for each attempt and streamed. It must yield exactly `sizeBytes`. */
export interface StreamedBody {
  readonly sizeBytes: number;
  open(): AsyncIterable<Uint8Array>;
  /**
   * Returns why the source of the body failed, or undefined if it did not. After such a failure, the connection's error
   * is only a consequence.
   */
  failure(): unknown;
}

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** The action for error messages, such as `submit a job`. It never contains request data. */
  readonly action: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | StreamedBody;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Whether the body was read to its end. */
  readonly complete: boolean;
  /** Whether the body is longer than the limit. */
  readonly overLimit: boolean;
}

/** Performs HTTP requests on connections of its own, with time and size limits. Redirects are not followed. */
export class HttpExchange implements AsyncDisposable {
  readonly #agent: Agent;
  readonly #clock: Clock;
  readonly #limits: ExchangeLimits;
  #closed = false;

  constructor(clock: Clock, limits: ExchangeLimits) {
    this.#clock = clock;
    this.#limits = limits;
    // The exchange itself enforces all deadlines except the connect timeout, because they change with the request's
    // phase. It uses HTTP/1.1, so that aborting a request frees its socket.
    this.#agent = new Agent({
      allowH2: false,
      connect: { timeout: limits.connectMs },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /**
   * Sends a request and returns the answer, whatever its status. Throws `MediaApiUnreachable`, or the error of the
   * request body's source.
   */
  async send(request: ExchangeRequest, signal?: AbortSignal): Promise<Answer> {
    const watch = new ExchangeWatch(request.action, this.#clock, this.#limits, signal);
    const startMs = this.#clock.monotonic();
    let status: number | string = 'failed';
    try {
      if (this.#closed) throw watch.error('closed');
      watch.start(typeof request.body === 'object' ? request.body.sizeBytes : 0);
      const response = await undiciRequest(request.url, {
        dispatcher: this.#agent.compose((dispatch) => (options, handler) => {
          return dispatch(options, watch.observe(handler));
        }),
        method: request.method,
        headers: headersOf(request),
        body: bodyOf(request),
        signal: watch.signal,
      });
      status = response.statusCode;
      watch.enter('body');
      const read = await readBody(response.body, this.#limits.answerBytesMax, watch);
      return { status: response.statusCode, headers: response.headers, ...read };
    } catch (error) {
      const own = typeof request.body === 'object' ? request.body.failure() : undefined;
      throw own ?? watch.explain(error);
    } finally {
      watch.end();
      const ms = this.#clock.monotonic() - startMs;
      noteWire(() => noteOf(request, status, ms));
    }
  }

  /** Aborts all requests in progress and closes all connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#agent.destroy();
  }
}

function noteOf({ method, url, action }: ExchangeRequest, status: number | string, ms: number): WireNote {
  return { source: 'media_api', what: `${method} ${routeOf(url)}`, status, ms, detail: { kind: action } };
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
    // The headers have arrived, and a refusal is useful even if the end of its body was cut off.
    if (watch.signal.aborted) throw error;
    return { body: Buffer.concat(chunks), complete: false, overLimit: false };
  }
}
