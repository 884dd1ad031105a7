import type { Clock } from '../../base/clock.ts';

const DISCORD_EPOCH_MS = 1_420_070_400_000n;

/** The format of all Discord ids. */
export const SNOWFLAKE: RegExp = /^\d{17,19}$/;

/** Creates ids that increase, never repeat and contain the clock's time. */
export class Snowflakes {
  readonly #clock: Clock;
  #last = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns a new id with the current time. After more than 4 million ids in one millisecond, ids run ahead of the
   * clock.
   */
  next(): string {
    const earliest = (BigInt(Math.trunc(this.#clock.now())) - DISCORD_EPOCH_MS) << 22n;
    this.#last = earliest > this.#last ? earliest : this.#last + 1n;
    return String(this.#last);
  }
}

/** Returns when an id was created, in epoch milliseconds. */
export function snowflakeTimeMs(id: string): number {
  return Number((BigInt(id) >> 22n) + DISCORD_EPOCH_MS);
}
