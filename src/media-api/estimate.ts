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
  /** Whether they come from what the job is given, and not from an assumption. */
  readonly isKnown: boolean;
}

/**
 * The price is max(minimum, rate x units). What is set aside is the service's own estimate if `rate` shows one
 * (which cannot know of a job that is longer than usual: then its price), else the price x `margin` (from 1).
 * Null when `rate` tells nothing above 0. Throws `RangeError` on a margin or units that are not sensible.
 */
export function estimate(
  rate: CapabilityRate | undefined,
  capability: PricedCapability,
  { units, isKnown }: ExpectedUnits,
  margin: number,
): Estimate | null {
  if (!(margin >= 1)) throw new RangeError('Cannot estimate: the margin is below 1');
  if (!rate) return null;
  const price = maxMicros(rate.minimum ?? ZERO, priceOf(rate, capability, units));
  const { estimatedHold } = rate;
  if (estimatedHold !== null && estimatedHold > 0) {
    const hold = isKnown ? maxMicros(estimatedHold, price) : estimatedHold;
    return { price: price > 0 ? price : estimatedHold, hold };
  }
  return price > 0 ? { price, hold: scaleMicros(price, margin) } : null;
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
