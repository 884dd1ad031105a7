import type { Database } from '../../../../db/database.ts';
import { type Clock, DeadlineError, withDeadline } from '../../../base/clock.ts';
import { RefreshedValue } from '../../../base/refreshed-value.ts';
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

/** The expected price of a job, and the amount to set aside for it. */
export interface Quote {
  /** The price without a margin, above zero. Members see it as "about $0.12". */
  readonly price: MicroUsd;
  /** The amount to set aside. It is above zero. */
  readonly hold: MicroUsd;
  readonly source: QuoteSource;
  /** The `QuoteSnapshot` as JSON, which is stored with the hold. */
  readonly snapshot: string;
}

interface QuotesOptions {
  readonly api: MediaApi;
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** The operator's prices for capabilities that the rate card does not have. Default: none. */
  readonly prices?: ConfiguredPrices | undefined;
  /** The price of a job for which no source has a price. Must be above zero. Default: 0.10 USD. */
  readonly fallback?: MicroUsd;
}

/** The prices from one source. */
type Prices = Pick<QuoteSnapshot, 'source' | 'version' | 'readAtMs' | 'jobs'> & {
  readonly rate: CapabilityRate | undefined;
};

const REFRESH_MS = 600_000;
const RETRY_MS = 15_000;
const FIRST_WAIT_MS_MAX = 3_000;
/** The hold divided by the price. It is above 1, because the actual units may differ from the expected ones. */
const MARGIN = 1.25;
const UNRATED_SESSION = { price: micros(10_000), hold: micros(10_000) };
const UNVERSIONED = { version: null, readAtMs: null, jobs: null };

/**
 * Computes quotes from a rate card that is refreshed in the background, so that a command never waits for the service.
 * If the card has no price or has not been read yet, the price comes from the configuration. If the configuration has
 * none either, the price comes from the charges for earlier jobs. Before the first charge, it is a fixed amount.
 */
export class Quotes implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #configured: ConfiguredPrices;
  readonly #learned: LearnedPrices;
  readonly #fallback: MicroUsd;
  readonly #stopping = new AbortController();
  readonly #card: RefreshedValue<RateCard>;

  constructor({ api, db, clock, log, prices = {}, fallback = micros(100_000) }: QuotesOptions) {
    this.#clock = clock;
    this.#configured = prices;
    this.#learned = new LearnedPrices(db);
    this.#fallback = fallback;
    this.#card = new RefreshedValue({
      load: (signal) => api.pricing.get({ signal, priority: 'background' }),
      clock,
      refreshMs: REFRESH_MS,
      retryMs: RETRY_MS,
      onFailed: (error) =>
        log.warn({ error }, 'Cannot read the rate card; holds use the last known one or the fallback'),
    });
  }

  /** Returns the quote for a job with this output. */
  of(capability: Capability, expected: ExpectedUnits): Quote {
    for (const { rate, ...origin } of this.#pricesOf(capability)) {
      const found = estimate(rate, capability, expected, MARGIN);
      if (found && rate) return quoteOf({ ...origin, ...expected, ...found, rate, margin: MARGIN });
    }
    const amounts = { price: this.#fallback, hold: this.#fallback, margin: 1 };
    return quoteOf({ source: 'fallback', ...UNVERSIONED, ...expected, ...amounts, rate: null });
  }

  /**
   * Returns the quote for a session of that many seconds. If neither the card nor the operator has a rate, the amount
   * is small: opening a session costs nothing, and the service then states the maximum cost of the session.
   */
  ofSession(capability: SessionCapability, seconds: number): Quote {
    const common = { units: seconds, isKnown: true, margin: 1 };
    for (const { rate, ...origin } of this.#statedPricesOf(capability)) {
      const price = costByRate(rate, seconds);
      if (rate && price > 0) return quoteOf({ ...common, ...origin, rate, price, hold: price });
    }
    return quoteOf({ ...common, ...UNVERSIONED, source: 'fallback', rate: null, ...UNRATED_SESSION });
  }

  /** Returns the card's price for a session of that many seconds; null if the card has none. */
  priceOfSession(capability: SessionCapability, seconds: number): MicroUsd | null {
    const price = costByRate(rateOf(this.#card.value, capability), seconds);
    return price > 0 ? price : null;
  }

  /** Whether the service's rates are known. */
  get known(): boolean {
    return this.#card.value !== null;
  }

  /** Reads the charges for the capability's last jobs again. */
  learn(capability: Capability): Promise<void> {
    return this.#learned.learn([capability]);
  }

  /** Reads the rate card again, because a charge was above its hold. Even many calls cause few reads. */
  renew(): void {
    this.#card.renew();
  }

  /** Reads the rate card and keeps it up to date. Resolves within 3 s, even if the service cannot be reached yet. */
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

  /** Returns the prices from all sources, the most trusted first. */
  #pricesOf(capability: Capability): readonly Prices[] {
    const learned = this.#learned.of(capability);
    const jobs = learned?.jobs ?? null;
    return [
      ...this.#statedPricesOf(capability),
      { ...UNVERSIONED, source: 'learned', rate: learned?.rate, jobs },
    ];
  }

  /** Returns the prices from the service's rate card and from the operator. */
  #statedPricesOf(capability: PricedCapability): readonly Prices[] {
    const card = this.#card.value;
    const { version = null, readAtMs = null } = card ?? {};
    return [
      { ...UNVERSIONED, source: 'card', rate: rateOf(card, capability), version, readAtMs },
      { ...UNVERSIONED, source: 'configured', rate: configuredRate(this.#configured[capability]) },
    ];
  }
}

function quoteOf(snapshot: QuoteSnapshot): Quote {
  const { price, hold, source } = snapshot;
  return { price, hold, source, snapshot: JSON.stringify(snapshot) };
}
