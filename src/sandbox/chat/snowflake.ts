import type { Clock } from '../../base/clock.ts';

const DISCORD_EPOCH_MS = 1_420_070_400_000n;

/** What every id of Discord's looks like. */
export const SNOWFLAKE: RegExp = /^\d{17,19}$/;

/** Makes ids that grow, never repeat and carry the clock's time. */
export class Snowflakes {
  readonly #clock: Clock;
  #last = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A new id with the current time. Up to 4 million share one millisecond before the time runs ahead. */
  next(): string {
    const earliest = (BigInt(Math.trunc(this.#clock.now())) - DISCORD_EPOCH_MS) << 22n;
    this.#last = earliest > this.#last ? earliest : this.#last + 1n;
    return String(this.#last);
  }
}

/** When an id was made, in epoch milliseconds. */
export function snowflakeTimeMs(id: string): number {
  return Number((BigInt(id) >> 22n) + DISCORD_EPOCH_MS);
}
