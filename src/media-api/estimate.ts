import { type MicroUsd, ZERO, maxMicros, micros, scaleMicros } from '../base/money.ts';
import { type CapabilityRate, type RateCard, rateOf } from './rate-card.ts';
import type { PricedCapability } from './wire.ts';

export interface EstimateOptions {
  /** Factor from 1 on a price that this client worked out itself. */
  readonly margin: number;
  /** Used when the card tells nothing; above 0. */
  readonly fallback: MicroUsd;
}

/**
 * What to hold for a job that is expected to produce `units` (images of `photo_swap`, else seconds): the
 * service's own estimate if the card shows one, else max(minimum, rate x units) x margin, else the fallback.
 * Never 0. Throws `RangeError` on options or units that are not sensible.
 */
export function estimateHold(
  card: RateCard | null,
  capability: PricedCapability,
  units: number,
  options: EstimateOptions,
): MicroUsd {
  if (!(options.margin >= 1) || options.fallback <= 0) throw new RangeError('Cannot estimate: bad options');
  const rate = rateOf(card, capability);
  if (!rate) return options.fallback;
  if (rate.estimatedHold !== null && rate.estimatedHold > 0) return rate.estimatedHold;
  const price = maxMicros(rate.minimum ?? ZERO, priceOf(rate, capability, units));
  return price > 0 ? scaleMicros(price, options.margin) : options.fallback;
}

function priceOf({ rate, unit }: CapabilityRate, capability: PricedCapability, units: number): MicroUsd {
  if (rate === null) return ZERO;
  switch (unit) {
    case 'image':
      // A price per piece of what lasts: seconds do not multiply it.
      return scaleMicros(rate, capability === 'photo_swap' ? Math.max(1, Math.ceil(units)) : 1);
    case 'minute':
      return micros(Math.ceil(scaleMicros(rate, units) / 60));
    case 'second':
    case null:
      return scaleMicros(rate, units);
  }
}
