import { type Clock, systemClock } from '../base/clock.ts';
import { Disposer } from '../base/disposer.ts';
import { type Logger, silentLogger } from '../base/log.ts';
import { isLoopbackHost } from '../base/public-address.ts';
import { Account } from './account.ts';
import { HttpExchange } from './exchange.ts';
import type { ExchangeLimits } from './exchange-watch.ts';
import { Jobs } from './jobs.ts';
import { KeyCircuit, type KeyState } from './key-circuit.ts';
import { MemoryRateLog } from './memory-rate-log.ts';
import { Outputs } from './outputs.ts';
import { Pricing } from './pricing.ts';
import { RateBudget } from './rate-budget.ts';
import type { RateLog } from './rate-log.ts';
import { Sessions } from './sessions.ts';
import { Transport } from './transport.ts';
import { UPLOAD_LIMITS, type UploadLimits } from './upload-limits.ts';
import { Uploads } from './uploads.ts';
import { Voices } from './voices.ts';

interface MediaApiOptions {
  /** The base URL including `/api/v1`. It must be https, except on loopback or with `allowInsecureHttp`. */
  readonly baseUrl: string;
  /**
   * The API key, sent as a bearer token. A function is called before every request, so that the key can be changed at
   * run time.
   */
  readonly apiKey: string | (() => string);
  /** The key's rate limit in requests per minute. Default 60, range 1 to 100,000. */
  readonly requestsPerMinute?: number;
  /** The rate log that all processes with this key share. Default: a log for this process alone. */
  readonly rateLog?: RateLog;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Whether plain http is allowed to any host. Default false. */
  readonly allowInsecureHttp?: boolean;
  readonly limits?: Partial<MediaApiLimits>;
}

/** Time limits in milliseconds and size limits in bytes. */
export interface MediaApiLimits extends ExchangeLimits, UploadLimits {
  /** The time added to the rate limit's window: the largest difference between the latencies of two requests. */
  readonly rateMarginMs: number;
  /** The longest wait of one request for the rate limit. */
  readonly rateWaitMsMax: number;
  /** The wait after the first attempt. It doubles for each further attempt, up to the maximum. */
  readonly retryDelayMsFirst: number;
  readonly retryDelayMsMax: number;
  /** The interval at which a rejected key is tried again. */
  readonly keyProbeMs: number;
  /** The longest time without data during a download, and the time limit for the whole download. */
  readonly downloadStallMs: number;
  readonly downloadTotalMs: number;
}

const MEDIA_API_LIMITS: MediaApiLimits = {
  ...UPLOAD_LIMITS,
  connectMs: 10_000,
  headersMs: 60_000,
  totalMs: 90_000,
  uploadBytesPerSecondMin: 128 * 1024,
  answerBytesMax: 1024 * 1024,
  rateMarginMs: 2000,
  rateWaitMsMax: 600_000,
  retryDelayMsFirst: 500,
  retryDelayMsMax: 15_000,
  keyProbeMs: 60_000,
  downloadStallMs: 30_000,
  downloadTotalMs: 900_000,
};

/** A client of the Media Generation API. It owns its connections; disposing it ends all calls in progress. */
export class MediaApi implements AsyncDisposable {
  readonly uploads: Uploads;
  readonly jobs: Jobs;
  readonly account: Account;
  readonly pricing: Pricing;
  readonly voices: Voices;
  readonly sessions: Sessions;
  readonly outputs: Outputs;
  readonly #keyListeners = new Set<(state: KeyState) => void>();
  readonly #disposer = new Disposer();

  /** Throws `RangeError` for an invalid base URL or limit. It sends no request. */
  constructor(options: MediaApiOptions) {
    const { clock = systemClock, logger = silentLogger, allowInsecureHttp = false, apiKey } = options;
    const baseUrl = checkBaseUrl(options.baseUrl, allowInsecureHttp);
    const limits = { ...MEDIA_API_LIMITS, ...options.limits };
    const exchange = this.#disposer.use(new HttpExchange(clock, limits));
    const budget = this.#disposer.use(
      new RateBudget({
        log: options.rateLog ?? new MemoryRateLog(),
        clock,
        requestsPerMinute: options.requestsPerMinute ?? 60,
        marginMs: limits.rateMarginMs,
        waitMsMax: limits.rateWaitMsMax,
        logger,
      }),
    );
    const transport = this.#disposer.use(
      new Transport({
        baseUrl,
        apiKey: typeof apiKey === 'function' ? apiKey : () => apiKey,
        exchange,
        budget,
        circuit: new KeyCircuit(clock, logger, limits.keyProbeMs, (state) => {
          for (const listener of this.#keyListeners) listener(state);
        }),
        backoff: { delayMsFirst: limits.retryDelayMsFirst, delayMsMax: limits.retryDelayMsMax },
        clock,
        logger,
      }),
    );
    this.uploads = new Uploads(transport, limits);
    this.jobs = new Jobs(transport);
    this.account = new Account(transport);
    this.pricing = new Pricing(transport, clock);
    this.voices = new Voices(transport);
    this.sessions = new Sessions(transport, { clock, allowInsecureHttp });
    this.outputs = this.#disposer.use(
      new Outputs({
        baseUrl,
        clock,
        allowInsecureHttp,
        connectMs: limits.connectMs,
        backoff: { delayMsFirst: limits.retryDelayMsFirst, delayMsMax: limits.retryDelayMsMax },
        stallMs: limits.downloadStallMs,
        totalMs: limits.downloadTotalMs,
      }),
    );
  }

  /**
   * Calls `listener` once when the service rejects the key, and once when it accepts a key again. The listener must
   * return at once.
   */
  onKey(listener: (state: KeyState) => void): Disposable {
    this.#keyListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#keyListeners.delete(listener) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#disposer[Symbol.asyncDispose]();
  }
}

function checkBaseUrl(text: string, allowInsecureHttp: boolean): URL {
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new RangeError('Cannot use the media API: `mediaApi.baseUrl` is not a plain URL');
  }
  if (url.protocol === 'https:') return url;
  if (url.protocol === 'http:' && (allowInsecureHttp || isLoopbackHost(url.hostname))) return url;
  throw new RangeError('Cannot use the media API: its base URL is neither https nor on loopback');
}
