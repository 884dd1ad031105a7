import { type Clock, DeadlineError, withDeadline } from '../base/clock.ts';
import { KeptFresh } from '../base/kept-fresh.ts';
import type { Logger } from '../base/log.ts';
import { type MicroUsd, micros } from '../base/money.ts';
import { estimateHold } from '../media-api/estimate.ts';
import type { RateCard } from '../media-api/rate-card.ts';
import type { MediaApi } from '../media-api/media-api.ts';
import type { Capability } from '../media-api/wire.ts';

/** What a job is expected to cost at most, and the rates that this was read from. */
export interface Quote {
  readonly amount: MicroUsd;
  /** The capability's rates as JSON, kept with the hold so that a later difference can be explained. */
  readonly rateCard: string;
}

const REFRESH_MS = 600_000;
const RETRY_MS = 15_000;
const FIRST_WAIT_MS_MAX = 3_000;
/** A price worked out here may be off by what the units differ from the estimate. */
const MARGIN = 1.25;

/**
 * Quotes from a rate card that is kept fresh in the background, so that a command never waits for the
 * service. Before the first card has come the fallback is held.
 */
export class Quotes implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #fallback: MicroUsd;
  readonly #stopping = new AbortController();
  readonly #card: KeptFresh<RateCard>;

  constructor(options: { api: MediaApi; clock: Clock; log: Logger; fallback?: MicroUsd }) {
    const { api, clock, log } = options;
    this.#clock = clock;
    this.#fallback = options.fallback ?? micros(100_000);
    this.#card = new KeptFresh({
      load: (signal) => api.pricing.get({ signal, priority: 'background' }),
      clock,
      refreshMs: REFRESH_MS,
      retryMs: RETRY_MS,
      onFailed: (error) =>
        log.warn({ error }, 'Cannot read the rate card, holds use the last known or the fallback'),
    });
  }

  /** Expected most for `units` of output (images, seconds). Always above zero. */
  of(capability: Capability, units: number): Quote {
    const card = this.#card.value;
    const options = { margin: MARGIN, fallback: this.#fallback };
    const amount = estimateHold(card, capability, units, options);
    const { readAtMs, version, rates } = card ?? {};
    return { amount, rateCard: JSON.stringify({ readAtMs, version, rate: rates?.[capability] ?? null }) };
  }

  /** Whether rates from the service are known. */
  get known(): boolean {
    return this.#card.value !== null;
  }

  /** Fetches the card and keeps it fresh. Resolves soon, also when the service cannot be asked yet. */
  async start(signal: AbortSignal = this.#stopping.signal): Promise<void> {
    const refreshing = this.#card.start();
    try {
      await withDeadline(this.#clock, FIRST_WAIT_MS_MAX, () => refreshing, signal);
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('Quotes stop'));
    await this.#card[Symbol.asyncDispose]();
  }
}
