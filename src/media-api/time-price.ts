import { type MicroUsd, ZERO, micros } from '../base/money.ts';
import type { CapabilityRate } from './rate-card.ts';

/** What a session may last and cost at most, as the service said when it was opened. */
interface Granted {
  /** Above 0. */
  readonly seconds: number;
  readonly maxCost: MicroUsd;
}

/** What the meters of both sides may differ by. */
export const METER_TOLERANCE_MS = 5_000;

/** What `ms` milliseconds of a session cost, rounded up; never more than all that was granted. */
export function costOfTime({ seconds, maxCost }: Granted, ms: number): MicroUsd {
  const allMs = BigInt(Math.round(seconds * 1000));
  const partMs = BigInt(Math.max(0, Math.ceil(ms)));
  if (partMs >= allMs) return maxCost;
  return micros(Number((BigInt(maxCost) * partMs + allMs - 1n) / allMs));
}

/**
 * The most that a session can cost, including the tolerance between the meters. A higher charge does not belong to the
 * session.
 */
export function mostOfSession({ seconds, maxCost }: Granted): MicroUsd {
  const allMs = Math.round(seconds * 1000);
  return micros(Math.ceil((maxCost * (allMs + METER_TOLERANCE_MS)) / allMs));
}

/** What whole seconds of a session cost by a rate card, rounded up; sessions are priced by the minute and know no minimum. */
export function costByRate(rate: CapabilityRate | undefined, seconds: number): MicroUsd {
  if (!rate || rate.rate === null) return ZERO;
  const perMinute = rate.unit === 'second' ? rate.rate * 60 : rate.rate;
  return micros(Number((BigInt(perMinute) * BigInt(Math.ceil(seconds)) + 59n) / 60n));
}
