import type { Clock } from '../base/clock.ts';
import { type RateCard, readRateCard } from './rate-card.ts';
import type { CallOptions, Transport } from './transport.ts';

const ATTEMPTS_MAX = 3;

/** Reads the rates of this account. */
export class Pricing {
  readonly #transport: Transport;
  readonly #clock: Clock;

  constructor(transport: Transport, clock: Clock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  /** Fetches the current rate card. The request carries the key, so the card contains negotiated prices. */
  get(options: CallOptions = {}): Promise<RateCard> {
    return this.#transport.call(
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
  }
}
