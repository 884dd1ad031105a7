import type { Database } from '../../../../db/database.ts';
import { type Clock, DeadlineError, withDeadline } from '../../../base/clock.ts';
import { KeptFresh } from '../../../base/kept-fresh.ts';
import type { Logger } from '../../../base/log.ts';
import { type MicroUsd, micros } from '../../../base/money.ts';
import { type ExpectedUnits, estimate } from '../../../media-api/estimate.ts';
import { type CapabilityRate, type RateCard, rateOf } from '../../../media-api/rate-card.ts';
import type { MediaApi } from '../../../media-api/media-api.ts';
import { costByRate } from '../../../media-api/time-price.ts';
import type { Capability, SessionCapability, PricedCapability } from '../../../media-api/wire.ts';
import { type ConfiguredPrices, configuredRate } from './configured-prices.ts';
import { LearnedPrices } from './learned-prices.ts';
import type { QuoteSnapshot, QuoteSource } from './quote-snapshot.ts';

/** What a job is expected to cost, and what to set aside for it. */
export interface Quote {
  /** What members are told, with "about": without any margin. Above zero. */
  readonly price: MicroUsd;
  /** Above zero. */
  readonly hold: MicroUsd;
  readonly source: QuoteSource;
  /** The `QuoteSnapshot` as JSON, kept with the hold. */
  readonly snapshot: string;
}

export interface QuotesOptions {
  readonly api: MediaApi;
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** The operator's own, for what the rate card does not tell. Default: none. */
  readonly prices?: ConfiguredPrices | undefined;
  /** Of a job of which nothing tells a price, above zero. Default: 0.10 USD. */
  readonly fallback?: MicroUsd;
}

/** Prices of one origin. */
type Prices = Pick<QuoteSnapshot, 'source' | 'version' | 'readAtMs' | 'jobs'> & {
  readonly rate: CapabilityRate | undefined;
};

const REFRESH_MS = 600_000;
const RETRY_MS = 15_000;
const FIRST_WAIT_MS_MAX = 3_000;
/** A price worked out here may be off by what the units differ from the estimate. */
const MARGIN = 1.25;
const UNRATED_SESSION = { price: micros(10_000), hold: micros(10_000) };
const UNSAID = { version: null, readAtMs: null, jobs: null };

/**
 * Quotes from a rate card that is kept fresh in the background, so that a command never waits for the service. What
 * the card does not tell (or before the first has come) comes from configured prices, else from what earlier jobs
 * were charged, else it is a fixed amount.
 */
export class Quotes implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #configured: ConfiguredPrices;
  readonly #learned: LearnedPrices;
  readonly #fallback: MicroUsd;
  readonly #stopping = new AbortController();
  readonly #card: KeptFresh<RateCard>;

  constructor({ api, db, clock, log, prices = {}, fallback = micros(100_000) }: QuotesOptions) {
    this.#clock = clock;
    this.#configured = prices;
    this.#learned = new LearnedPrices(db);
    this.#fallback = fallback;
    this.#card = new KeptFresh({
      load: (signal) => api.pricing.get({ signal, priority: 'background' }),
      clock,
      refreshMs: REFRESH_MS,
      retryMs: RETRY_MS,
      onFailed: (error) =>
        log.warn({ error }, 'Cannot read the rate card, holds use the last known or the fallback'),
    });
  }

  /** For this much of output. */
  of(capability: Capability, expected: ExpectedUnits): Quote {
    for (const { rate, ...origin } of this.#pricesOf(capability)) {
      const found = estimate(rate, capability, expected, MARGIN);
      if (found && rate) return quoteOf({ ...origin, ...expected, ...found, rate, margin: MARGIN });
    }
    const amounts = { price: this.#fallback, hold: this.#fallback, margin: 1 };
    return quoteOf({ source: 'fallback', ...UNSAID, ...expected, ...amounts, rate: null });
  }

  /**
   * For a session of that many seconds. Where neither the card nor the operator tells a rate it is little: opening
   * costs nothing and tells the most that a session may cost.
   */
  ofSession(capability: SessionCapability, seconds: number): Quote {
    const common = { units: seconds, isKnown: true, margin: 1 };
    for (const { rate, ...origin } of this.#toldPricesOf(capability)) {
      const price = costByRate(rate, seconds);
      if (rate && price > 0) return quoteOf({ ...common, ...origin, rate, price, hold: price });
    }
    return quoteOf({ ...common, ...UNSAID, source: 'fallback', rate: null, ...UNRATED_SESSION });
  }

  /** What the card says of a session of that many seconds; null: nothing. */
  priceOfSession(capability: SessionCapability, seconds: number): MicroUsd | null {
    const price = costByRate(rateOf(this.#card.value, capability), seconds);
    return price > 0 ? price : null;
  }

  /** Whether rates from the service are known. */
  get known(): boolean {
    return this.#card.value !== null;
  }

  /** Reads again what the last jobs of the capability were charged. */
  learn(capability: Capability): Promise<void> {
    return this.#learned.learn([capability]);
  }

  /** Reads the rate card again, because a charge was above what was set aside. Many such charges cause few reads. */
  renew(): void {
    this.#card.renew();
  }

  /** Fetches the card and keeps it fresh. Resolves soon, also when the service cannot be asked yet. */
  async start(signal: AbortSignal = this.#stopping.signal): Promise<void> {
    const refreshing = this.#card.start();
    await this.#learned.learn();
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

  /** All that is known, the most trusted first. */
  #pricesOf(capability: Capability): readonly Prices[] {
    const learned = this.#learned.of(capability);
    const jobs = learned?.jobs ?? null;
    return [...this.#toldPricesOf(capability), { ...UNSAID, source: 'learned', rate: learned?.rate, jobs }];
  }

  /** What the service's card and the operator tell. */
  #toldPricesOf(capability: PricedCapability): readonly Prices[] {
    const card = this.#card.value;
    const { version = null, readAtMs = null } = card ?? {};
    return [
      { ...UNSAID, source: 'card', rate: rateOf(card, capability), version, readAtMs },
      { ...UNSAID, source: 'configured', rate: configuredRate(this.#configured[capability]) },
    ];
  }
}

function quoteOf(snapshot: QuoteSnapshot): Quote {
  const { price, hold, source } = snapshot;
  return { price, hold, source, snapshot: JSON.stringify(snapshot) };
}
