import type { MicroUsd } from '../../../base/money.ts';
import type { CapabilityRate } from '../../../media-api/rate-card.ts';
import type { PricedCapability } from '../../../media-api/wire.ts';

/** What the operator says that a capability costs. */
export interface ConfiguredPrice {
  readonly rate: MicroUsd;
  /** Of output: pictures of `photo_swap`, else time; of sessions the time that is converted. */
  readonly per: 'image' | 'second' | 'minute';
  /** The least that a job costs; sessions have none. Default 0. */
  readonly minimum?: MicroUsd;
}

/** Prices for what the service's rate card does not tell. */
export type ConfiguredPrices = Readonly<Partial<Record<PricedCapability, ConfiguredPrice>>>;

/** The price in the form in which the rate card's are kept. */
export function configuredRate(price: ConfiguredPrice | undefined): CapabilityRate | undefined {
  if (!price) return undefined;
  return { rate: price.rate, unit: price.per, minimum: price.minimum ?? null, estimatedHold: null };
}
