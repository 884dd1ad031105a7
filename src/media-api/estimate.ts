import { type MicroUsd, ZERO, maxMicros, micros, scaleMicros } from '../base/money.ts';
import type { CapabilityRate } from './rate-card.ts';
import type { PricedCapability } from './wire.ts';

/** What a job will probably be charged, and what to set aside for it. Both above 0. */
export interface Estimate {
  readonly price: MicroUsd;
  readonly hold: MicroUsd;
}

/** What a job is expected to produce. */
export interface ExpectedUnits {
  /** Images of `photo_swap`, else seconds. */
  readonly units: number;
  /** The most units that the job can produce, if `units` may be too low. Default: `units`. */
  readonly unitsMax?: number;
  /** Whether they come from what the job is given, and not from an assumption. */
  readonly isKnown: boolean;
}

/**
 * The price is max(minimum, rate x units). The hold is never below it, nor below the price of `unitsMax`:
 * - Where `rate` shows the service's own estimate, the hold is that. It does not know how long this job is, so that
 *   the price of a known length with `margin` (from 1) counts where it is more. Pictures have no length to be wrong.
 * - Otherwise the hold is the price with `margin`.
 *
 * While the length is not known, the service's own estimate is also the price. Null when `rate` tells nothing above 0.
 * Throws `RangeError` on a margin or units that are not sensible.
 */
export function estimate(
  rate: CapabilityRate | undefined,
  capability: PricedCapability,
  { units, unitsMax = units, isKnown }: ExpectedUnits,
  margin: number,
): Estimate | null {
  if (!(margin >= 1)) throw new RangeError('Cannot estimate: the margin is below 1');
  if (!rate) return null;
  const { estimatedHold } = rate;
  const least = rate.minimum ?? ZERO;
  const byUnits = priceOf(rate, capability, units);
  const price = maxMicros(least, byUnits);
  const most = maxMicros(price, priceOf(rate, capability, unitsMax));
  if (estimatedHold === null || estimatedHold <= 0) {
    return price > 0 ? { price, hold: maxMicros(scaleMicros(price, margin), most) } : null;
  }
  if (!isKnown || price === 0) {
    const assumed = maxMicros(least, estimatedHold);
    return { price: assumed, hold: isKnown ? maxMicros(assumed, most) : assumed };
  }
  const isCertain = capability === 'photo_swap' || rate.unit === 'image';
  const withMargin = isCertain ? byUnits : scaleMicros(byUnits, margin);
  return { price, hold: maxMicros(estimatedHold, maxMicros(most, withMargin)) };
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
