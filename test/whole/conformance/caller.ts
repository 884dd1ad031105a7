import assert from 'node:assert/strict';
import { sleep, systemClock } from '../../../src/base/clock.ts';

const WINDOW_MS = 60_000;
/** How long a response may take, for example to an upload of the largest size over a slow connection. */
const ANSWER_MS = 300_000;
const TRIES_MAX = 5;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
  /** `undefined` if the answer is not JSON. */
  readonly json: unknown;
  readonly errorCode: string | undefined;
}

/** Limits the requests in any 60 seconds, which is safe wherever the service's own windows begin and end. */
export class Pace {
  readonly #requestsPerMinute: number;
  readonly #sentAt: number[] = [];

  constructor(requestsPerMinute: number) {
    this.#requestsPerMinute = requestsPerMinute;
  }

  async next(): Promise<void> {
    for (;;) {
      const now = systemClock.monotonic();
      while (this.#sentAt[0] !== undefined && this.#sentAt[0] <= now - WINDOW_MS) this.#sentAt.shift();
      const [oldest] = this.#sentAt;
      if (oldest === undefined || this.#sentAt.length < this.#requestsPerMinute) break;
      await sleep(systemClock, oldest + WINDOW_MS - now);
    }
    this.#sentAt.push(systemClock.monotonic());
  }
}

/**
 * Sends plain HTTP to the service, with or without the key, and waits when the service asks for a delay. The key is
 * never sent to other origins.
 */
export class Caller {
  readonly baseUrl: string;
  readonly #key: string | undefined;
  readonly #pace: Pace | undefined;

  constructor(baseUrl: string, key?: string, pace?: Pace) {
    this.baseUrl = baseUrl;
    this.#key = key;
    this.#pace = pace;
  }

  async request(path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers);
    const url = new URL(path.startsWith('/') ? `${this.baseUrl}${path}` : path);
    const isOwn = url.origin === new URL(this.baseUrl).origin;
    if (this.#key !== undefined && isOwn) headers.set('authorization', `Bearer ${this.#key}`);
    for (let tries = 1; ; tries++) {
      await this.#pace?.next();
      const signal = AbortSignal.timeout(ANSWER_MS);
      const response = await fetch(url, { redirect: 'manual', signal, ...init, headers });
      const answer = await read(response);
      if (answer.status !== 429 || tries === TRIES_MAX) return answer;
      const waitSeconds = Number(answer.headers.get('retry-after') ?? '') || 5 * tries;
      await sleep(systemClock, Math.min(waitSeconds, 60) * 1000);
    }
  }

  get(path: string): Promise<Answer> {
    return this.request(path);
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const init = { method: 'POST', body: JSON.stringify(body) };
    return this.request(path, { ...init, headers: { 'content-type': 'application/json', ...headers } });
  }

  /** Uploads `bytes` as a form part. A type or file name that is `undefined` is omitted. */
  upload(
    bytes: Uint8Array,
    part: { readonly type?: string; readonly name?: string; readonly field?: string },
  ): Promise<Answer> {
    const { type, name, field = 'file' } = part;
    const boundary = 'conformance-boundary-7f3a';
    const file = name === undefined ? '' : `; filename="${name}"`;
    const head = [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${field}"${file}`,
      ...(type === undefined ? [] : [`Content-Type: ${type}`]),
      '',
      '',
    ].join('\r\n');
    const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    return this.request('/uploads', { method: 'POST', body, headers });
  }
}

async function read(response: Response): Promise<Answer> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('utf8');
  const json = parse(text);
  const { error } = (json ?? {}) as { error?: { code?: unknown } };
  const errorCode = typeof error?.code === 'string' ? error.code : undefined;
  return { status: response.status, headers: response.headers, bytes, text, json, errorCode };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Asserts an error in its envelope: this status, this code, a message, and nothing else. */
export function assertRefused(answer: Answer, status: number, code: string): void {
  const { error } = (answer.json ?? {}) as { error?: { code?: unknown; message?: unknown } };
  assert.deepEqual(
    [answer.status, error?.code, typeof error?.message],
    [status, code, 'string'],
    answer.text,
  );
}
