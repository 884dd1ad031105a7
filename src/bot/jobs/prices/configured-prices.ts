import type { MicroUsd } from '../../../base/money.ts';
import type { CapabilityRate } from '../../../media-api/rate-card.ts';
import type { PricedCapability } from '../../../media-api/wire.ts';

/** The operator's price for a capability. */
export interface ConfiguredPrice {
  readonly rate: MicroUsd;
  /** The billed unit: a picture for `photo_swap`, output time for other jobs, converted time for sessions. */
  readonly per: 'image' | 'second' | 'minute';
  /** The minimum price of a job; sessions have none. Default 0. */
  readonly minimum?: MicroUsd;
}

/** Prices for capabilities that the service's rate card does not have. */
export type ConfiguredPrices = Readonly<Partial<Record<PricedCapability, ConfiguredPrice>>>;

/** Converts the price to the form that rate cards use. */
export function configuredRate(price: ConfiguredPrice | undefined): CapabilityRate | undefined {
  if (!price) return undefined;
  return { rate: price.rate, unit: price.per, minimum: price.minimum ?? null, estimatedHold: null };
}
