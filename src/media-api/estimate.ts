import { type MicroUsd, ZERO, maxMicros, micros, scaleMicros } from '../base/money.ts';
import type { CapabilityRate } from './rate-card.ts';
import type { PricedCapability } from './wire.ts';

/** The amount that a job will probably cost, and the amount to hold for it. Both are above 0. */
export interface Estimate {
  readonly price: MicroUsd;
  readonly hold: MicroUsd;
}

/** The output that a job is expected to produce. */
export interface ExpectedUnits {
  /** The number of images for `photo_swap`, otherwise the seconds. */
  readonly units: number;
  /** The maximum number of units that the job can produce, if `units` may be too low. Default: `units`. */
  readonly unitsMax?: number;
  /** Whether the units come from the job's input rather than from an assumption. */
  readonly isKnown: boolean;
}

/**
 * Returns the expected price, which is max(minimum, rate x units), and the hold. The hold is never below the price, nor
 * below the price of `unitsMax`:
 * - If `rate` contains the service's own estimate, that estimate is the hold. But it does not consider the length of
 *   this job: if the length is known, and its price times `margin` (at least 1) is higher, that amount is the hold.
 *   Pictures need no margin, because they have no length.
 * - Otherwise the hold is the price times `margin`.
 *
 * If the length is not known, the service's own estimate is also the price. Returns null if `rate` contains no amount
 * above 0. Throws `RangeError` for an invalid margin or number of units.
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
      // With this unit, a video costs one unit, whatever its length.
      return scaleMicros(rate, capability === 'photo_swap' ? Math.max(1, Math.ceil(units)) : 1);
    case 'minute':
      return micros(Math.ceil(scaleMicros(rate, units) / 60));
    case 'second':
    case null:
      return scaleMicros(rate, units);
  }
}
