import { smoothStep } from '../smooth-step.ts';
import { randomSequence } from './smooth-noise.ts';

const PAUSE_SECONDS = { least: 2, most: 6 };
const BLINK_SECONDS = { least: 0.15, most: 0.25 };
/** The share of a blink during which the lids fall; they rise during the rest. */
const FALL_SHARE = 0.35;
/** How much later the right eye blinks than the left. */
const LAG_SECONDS = 0.004;

/**
 * A face's natural blinks, every 2 to 6 seconds. Equal seeds give equal blinks. `at` must be called with increasing
 * times.
 */
export class Blinking {
  readonly #random: () => number;
  #start: number;
  #length: number;

  constructor(seed: number) {
    this.#random = randomSequence(seed);
    this.#start = this.#between({ least: 0.8, most: 2.5 });
    this.#length = this.#between(BLINK_SECONDS);
  }

  /** Returns how far each lid is closed, 0 to 1. */
  at(seconds: number): { readonly left: number; readonly right: number } {
    while (seconds > this.#start + this.#length + LAG_SECONDS) {
      this.#start += this.#between(PAUSE_SECONDS);
      this.#length = this.#between(BLINK_SECONDS);
    }
    const since = seconds - this.#start;
    return { left: this.#closed(since), right: this.#closed(since - LAG_SECONDS) };
  }

  #closed(since: number): number {
    const share = since / this.#length;
    if (share <= 0 || share >= 1) return 0;
    return share < FALL_SHARE ? smoothStep(0, FALL_SHARE, share) : 1 - smoothStep(FALL_SHARE, 1, share);
  }

  #between({ least, most }: { least: number; most: number }): number {
    return least + this.#random() * (most - least);
  }
}
