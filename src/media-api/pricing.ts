import { type Clock, DeadlineError, withDeadline } from '../base/clock.ts';
import { isMediaApiError } from './errors.ts';
import { type RateCard, readRateCard } from './rate-card.ts';
import type { CallOptions, Transport } from './transport.ts';

const ATTEMPTS_MAX = 3;
/** The longest a caller waits for a fresh card. */
const WAIT_MS_MAX = 30_000;
const FRESH_MS = 300_000;
const STALE_MS_MAX = 24 * 3600_000;

/** The rates of this account. */
export class Pricing {
  readonly #transport: Transport;
  readonly #clock: Clock;
  #last: RateCard | undefined;
  #reading: Promise<RateCard> | undefined;

  constructor(transport: Transport, clock: Clock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  /** Asks for the rate card now, with the key, so that negotiated prices show. */
  async get(options: CallOptions = {}): Promise<RateCard> {
    const card = await this.#transport.call(
      {
        method: 'GET',
        target: '/pricing',
        action: 'read the rate card',
        decode: (json) => readRateCard(json, this.#clock.now()),
        priority: 'background',
        attemptsMax: ATTEMPTS_MAX,
      },
      options,
    );
    this.#last = card;
    return card;
  }

  /**
   * The rate card, at most five minutes old; callers at the same time share one request. When the service cannot
   * be asked within 30 s, one of up to a day ago has to do; null if there is none. Throws only the signal's reason.
   */
  async current(options: CallOptions = {}): Promise<RateCard | null> {
    const last = this.#last;
    const ageMs = last ? this.#clock.now() - last.readAtMs : Infinity;
    if (last && ageMs < FRESH_MS) return last;
    // The request is shared: a caller's signal ends only that caller's wait.
    const reading = (this.#reading ??= this.get({ priority: options.priority }).finally(() => {
      this.#reading = undefined;
    }));
    try {
      return await withDeadline(this.#clock, WAIT_MS_MAX, () => reading, options.signal);
    } catch (error) {
      if (!isMediaApiError(error) && !(error instanceof DeadlineError)) throw error;
      return last && ageMs < STALE_MS_MAX ? last : null;
    }
  }
}
