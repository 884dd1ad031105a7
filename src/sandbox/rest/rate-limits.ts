import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { RouteLimit } from './route.ts';

const GLOBAL: RouteLimit = { requests: 50, windowMs: 1000 };
const BUCKETS_MAX = 10_000;

interface Window {
  used: number;
  resetsAtMs: number;
}

/** The rate limit headers for a request, and whether it is allowed. */
interface RateVerdict {
  readonly headers: Readonly<Record<string, string>>;
  /** Details of the response, if the request must be rejected with 429. */
  readonly refused?: {
    readonly retryAfterSeconds: number;
    readonly global: boolean;
  };
}

/** Counts requests in fixed windows per bucket, and all requests of a token together. */
export class RateLimits {
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one request towards the limit of 50 requests per second for a token. */
  spendGlobal(token: string): RateVerdict {
    const window = this.#window(`global ${token}`, GLOBAL);
    window.used++;
    if (window.used <= GLOBAL.requests) return { headers: {} };
    const retryAfterSeconds = this.#secondsLeft(window);
    return {
      headers: {
        'retry-after': String(Math.ceil(retryAfterSeconds)),
        'x-ratelimit-global': 'true',
        'x-ratelimit-scope': 'global',
      },
      refused: { retryAfterSeconds, global: true },
    };
  }

  /** Counts one request towards a route's bucket for one resource. */
  spend(route: string, resource: string, limit: RouteLimit): RateVerdict {
    const window = this.#window(`${route} ${resource}`, limit);
    const isOver = window.used >= limit.requests;
    if (!isOver) window.used++;
    const secondsLeft = this.#secondsLeft(window);
    const headers = {
      'x-ratelimit-limit': String(limit.requests),
      'x-ratelimit-remaining': String(limit.requests - window.used),
      'x-ratelimit-reset': (this.#clock.now() / 1000 + secondsLeft).toFixed(3),
      'x-ratelimit-reset-after': secondsLeft.toFixed(3),
      'x-ratelimit-bucket': createHash('sha256').update(route).digest('hex').slice(0, 32),
    };
    if (!isOver) return { headers };
    return {
      headers: {
        ...headers,
        'retry-after': String(Math.ceil(secondsLeft)),
        'x-ratelimit-scope': 'user',
      },
      refused: { retryAfterSeconds: secondsLeft, global: false },
    };
  }

  #secondsLeft(window: Window): number {
    return Math.max(0, window.resetsAtMs - this.#clock.monotonic()) / 1000;
  }

  #window(key: string, limit: RouteLimit): Window {
    const nowMs = this.#clock.monotonic();
    const known = this.#windows.get(key);
    if (known && known.resetsAtMs > nowMs) return known;
    if (this.#windows.size >= BUCKETS_MAX) this.#dropOld(nowMs);
    const fresh = { used: 0, resetsAtMs: nowMs + limit.windowMs };
    this.#windows.set(key, fresh);
    return fresh;
  }

  #dropOld(nowMs: number): void {
    for (const [key, window] of this.#windows) if (window.resetsAtMs <= nowMs) this.#windows.delete(key);
  }
}
