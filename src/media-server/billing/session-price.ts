import { type MicroUsd, micros } from '../../base/money.ts';

const MS_PER_MINUTE = 60_000n;

/**
 * Returns the price of `seconds` at a rate per minute, rounded up. A session of this length is never charged more than
 * this price.
 */
export function blockOf(rate: MicroUsd, seconds: number): MicroUsd {
  return micros(Number((BigInt(rate) * BigInt(seconds) * 1000n + MS_PER_MINUTE - 1n) / MS_PER_MINUTE));
}

/** Returns the price of `streamedMs` at a rate per minute, rounded half up, but at most `block`. */
export function sessionCharge(rate: MicroUsd, streamedMs: number, block: MicroUsd): MicroUsd {
  const exact = BigInt(rate) * BigInt(Math.round(streamedMs));
  const charge = Number((exact + MS_PER_MINUTE / 2n) / MS_PER_MINUTE);
  return micros(Math.min(charge, block));
}
