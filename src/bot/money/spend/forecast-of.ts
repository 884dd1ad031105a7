import { type MicroUsd, micros } from '../../../base/money.ts';
import type { Window } from '../caps/window.ts';

/**
 * The fraction of a period that must have passed before its total is estimated, because the first hours say little
 * about a month.
 */
const FORECAST_AFTER = { part: 1, of: 10 } as const;

/** The amount charged in a period so far. It excludes amounts set aside, because they may be released. */
export interface Pace extends Window {
  readonly nowMs: number;
  readonly charged: MicroUsd;
}

/**
 * Estimates the cost of a whole period, assuming that spending continues at its average so far. Returns null if less
 * than a tenth of the period has passed, if it has ended, or if nothing was charged.
 */
export function forecastOf(pace: Pace): MicroUsd | null {
  const { charged, startsAtMs, endsAtMs, nowMs } = pace;
  const wholeMs = endsAtMs - startsAtMs;
  const elapsedMs = nowMs - startsAtMs;
  const isTooEarly = elapsedMs * FORECAST_AFTER.of < wholeMs * FORECAST_AFTER.part;
  if (charged === 0 || isTooEarly || elapsedMs >= wholeMs) return null;
  return micros(Number(dividedRound(BigInt(charged) * BigInt(wholeMs), BigInt(elapsedMs))));
}

/**
 * Returns the time at which `limit` will be used up at this pace; null if it will last until the end of the period, is
 * already used up, or cannot be estimated.
 */
export function usedUpAtMs(pace: Pace, limit: MicroUsd): number | null {
  const total = forecastOf(pace);
  if (total === null || total <= limit || pace.charged >= limit) return null;
  const { charged, startsAtMs, nowMs } = pace;
  return startsAtMs + Number(dividedRound(BigInt(limit) * BigInt(nowMs - startsAtMs), BigInt(charged)));
}

/** Returns the part of a forecast that falls within `window`, which must not begin before now. */
export function forecastWithin(pace: Pace, total: MicroUsd, window: Window): MicroUsd {
  const restMs = BigInt(pace.endsAtMs - pace.nowMs);
  const rest = BigInt(total - pace.charged);
  const upTo = (atMs: number): bigint => dividedRound(rest * BigInt(atMs - pace.nowMs), restMs);
  return micros(Number(upTo(window.endsAtMs) - upTo(window.startsAtMs)));
}

/** Rounds half up. Neither amount may be negative. */
function dividedRound(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor / 2n) / divisor;
}
