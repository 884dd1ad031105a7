import type { Database } from '../../../../db/database.ts';
import { type JobCharge, listCharges } from '../../../../db/queries/list-charges.ts';
import { type MicroUsd, micros } from '../../../base/money.ts';
import type { CapabilityRate } from '../../../media-api/rate-card.ts';
import { CAPABILITIES, type Capability } from '../../../media-api/wire.ts';
import { unitsOf } from './quote-snapshot.ts';

/** A price that hardly any of the last jobs exceeded. */
interface LearnedPrice {
  readonly rate: CapabilityRate;
  /** The number of jobs from which it was learned. */
  readonly jobs: number;
}

const NEARLY_ALL = 0.95;

/** Prices that are learned from the charges for the last jobs. They are used if no other source has a price. */
export class LearnedPrices {
  readonly #db: Database;
  readonly #learned = new Map<Capability, LearnedPrice>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the capability's learned price; null before the first charge. */
  of(capability: Capability): LearnedPrice | null {
    return this.#learned.get(capability) ?? null;
  }

  /** Reads the last jobs of these capabilities again. Default: all capabilities. */
  async learn(capabilities: readonly Capability[] = CAPABILITIES): Promise<void> {
    for (const capability of capabilities) {
      const learned = priceFrom(await listCharges(this.#db.kysely, capability));
      if (learned) this.#learned.set(capability, learned);
    }
  }
}

/** Computes the price per unit if any job's units are known, otherwise the price per job. */
function priceFrom(charges: readonly JobCharge[]): LearnedPrice | null {
  const perUnit = charges.flatMap(({ charged, rateCard }) => {
    const units = rateCard === null ? undefined : unitsOf(rateCard);
    return units === undefined ? [] : [micros(Math.ceil(charged / units))];
  });
  const prices = perUnit.length > 0 ? perUnit : charges.map(({ charged }) => charged);
  const rate = quantile(prices, NEARLY_ALL);
  if (rate === undefined) return null;
  // For output with a length, `estimate` treats a price per `image` as a price per job.
  const unit = perUnit.length > 0 ? null : 'image';
  return { rate: { rate, unit, minimum: null, estimatedHold: null }, jobs: prices.length };
}

/** Returns the lowest of the `values` that is at least as high as this share of them. */
function quantile(values: readonly MicroUsd[], share: number): MicroUsd | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1];
}
