import { request } from 'node:http';
import { signDelivery } from '../../../src/base/signing.ts';
import { quantile } from '../../bench/quantile.ts';

/** The results of honest callers. */
export interface CallerFigures {
  readonly asked: number;
  /** The different results of requests that got no 2xx answer. */
  readonly failed: readonly string[];
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface HonestOptions {
  readonly url: string;
  /** The secret that signs webhooks. Default: no webhooks are sent. */
  readonly secret?: string;
  /** Paths that are requested. Default: health and readiness. */
  readonly paths?: readonly string[];
}

/** A busy processor takes seconds to accept the connections that attackers have just opened. */
const GIVE_UP_MS = 60_000;

/** The paths that all of this program's servers answer for anybody. */
export const HEALTH = ['/healthz', '/readyz'] as const;

/** Requests paths and delivers signed webhooks, each on its own connection. */
export class HonestCallers {
  readonly #options: HonestOptions;
  readonly #tookMs: number[] = [];
  readonly #failed: string[] = [];
  #deliveries = 0;

  constructor(options: HonestOptions) {
    this.#options = options;
  }

  /** Number of webhooks that were sent. */
  get deliveries(): number {
    return this.#deliveries;
  }

  /** Sends a round of requests, waits `everyMs` after it, and repeats this until the signal aborts. */
  async askUntil(signal: AbortSignal, everyMs = 50): Promise<void> {
    const { paths = HEALTH, secret } = this.#options;
    while (!signal.aborted) {
      const delivered = secret === undefined ? Promise.resolve() : this.#deliver(secret);
      await Promise.all([...paths.map((path) => this.#get(path)), delivered]);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  figures(): CallerFigures {
    return {
      asked: this.#tookMs.length + this.#failed.length,
      failed: [...new Set(this.#failed)],
      p99Ms: Math.round(quantile(this.#tookMs, 0.99)),
      maxMs: Math.round(Math.max(...this.#tookMs)),
    };
  }

  #get(path: string): Promise<void> {
    return this.#ask('GET', path, {});
  }

  async #deliver(secret: string): Promise<void> {
    const id = `${process.pid}_${(this.#deliveries += 1)}`;
    const data = { id: `srv_${id}`, status: 'failed', charged_usd: 0, output_url: null, error: null };
    const sentAt = new Date().toISOString();
    const body = Buffer.from(
      JSON.stringify({ event: 'job.failed', sent_at: sentAt, delivery_id: `dlv_honest_${id}`, data }),
    );
    const signature = signDelivery(secret, Math.floor(Date.now() / 1000), body);
    const headers = { 'content-type': 'application/json', 'service-signature': signature };
    await this.#ask('POST', '/webhooks/cb_honesthonesthone', headers, body);
  }

  #ask(method: string, path: string, headers: Record<string, string>, body?: Buffer): Promise<void> {
    const startMs = performance.now();
    return new Promise((resolve) => {
      const fail = (why: string): void => {
        const when = isConnected ? 'answering' : 'connecting';
        this.#failed.push(`${method} /${path.split('/')[1]}, ${when}: ${why}`);
        resolve();
      };
      let isConnected = false;
      const url = new URL(this.#options.url + path);
      const signal = AbortSignal.timeout(GIVE_UP_MS);
      const asked = request(url, { method, headers, agent: false, signal }, (response) => {
        response.resume().once('end', () => {
          const { statusCode = 0 } = response;
          if (statusCode < 200 || statusCode > 299) return fail(String(statusCode));
          this.#tookMs.push(performance.now() - startMs);
          resolve();
        });
        response.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.name));
      });
      asked.once('socket', (socket) => socket.once('connect', () => (isConnected = true)));
      asked.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.name));
      asked.end(body);
    });
  }
}
