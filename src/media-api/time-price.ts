import { type MicroUsd, ZERO, micros } from '../base/money.ts';
import type { CapabilityRate } from './rate-card.ts';

/** The maximum length and cost of a session, as the service granted them when it was opened. */
interface Granted {
  /** Always above 0. */
  readonly seconds: number;
  readonly maxCost: MicroUsd;
}

/** The largest tolerated difference between the bot's and the service's meters. */
export const METER_TOLERANCE_MS = 5_000;

/** Returns the price of `ms` milliseconds of a session, rounded up, but at most the whole granted cost. */
export function costOfTime({ seconds, maxCost }: Granted, ms: number): MicroUsd {
  const allMs = BigInt(Math.round(seconds * 1000));
  const partMs = BigInt(Math.max(0, Math.ceil(ms)));
  if (partMs >= allMs) return maxCost;
  return micros(Number((BigInt(maxCost) * partMs + allMs - 1n) / allMs));
}

/**
 * Returns the most that a session can cost, including the meters' tolerance. A higher charge cannot be the session's.
 */
export function mostOfSession({ seconds, maxCost }: Granted): MicroUsd {
  const allMs = Math.round(seconds * 1000);
  return micros(Math.ceil((maxCost * (allMs + METER_TOLERANCE_MS)) / allMs));
}

/**
 * Returns the price of a number of session seconds according to a rate card, rounded up. Sessions are priced per minute
 * and have no minimum.
 */
export function costByRate(rate: CapabilityRate | undefined, seconds: number): MicroUsd {
  if (!rate || rate.rate === null) return ZERO;
  const perMinute = rate.unit === 'second' ? rate.rate * 60 : rate.rate;
  return micros(Number((BigInt(perMinute) * BigInt(Math.ceil(seconds)) + 59n) / 60n));
}
