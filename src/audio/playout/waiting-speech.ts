import { energyOf } from '../find-period.ts';
import { SampleQueue } from '../sample-queue.ts';
import { ArrivalMarks } from './arrival-marks.ts';
import { FADE, MS, QUEUE_MS_MAX, RATE_HZ } from './playout-units.ts';
import { leaveOutPeriod, leaveOutQuietest } from './leave-out.ts';

const QUIET_SHARE = 0.05;
const QUIET_ENERGY = 0.002 ** 2;
/** The share of the measured loudness that is kept from one frame to the next. */
const LOUDNESS_KEPT = 0.995;

/** The speech that is waiting to be played, with its arrival times. Counts the samples that are left out of it. */
export class WaitingSpeech {
  readonly #queue = new SampleQueue(QUEUE_MS_MAX * MS);
  readonly #marks = new ArrivalMarks(RATE_HZ);
  #loudness = 0;
  #leftOut = 0;

  /** The number of waiting samples. */
  get length(): number {
    return this.#queue.length;
  }

  /** The number of samples left out so far. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Appends the first `count` samples. The caller makes sure that there is room for them. */
  push(samples: Float32Array, count: number, nowMs: number): void {
    this.#marks.add(this.#queue.length, nowMs);
    this.#queue.push(samples, count);
  }

  /** Moves the oldest samples, as many as there are, to the start of `frame`. Returns their number. */
  take(frame: Float32Array): number {
    const count = this.#queue.take(frame);
    this.#marks.remove(0, count);
    return count;
  }

  /** How long the first sample has waited, in milliseconds. */
  waitedMs(nowMs: number): number {
    return this.#marks.waitedMs(nowMs);
  }

  /**
   * Returns how long ago the last piece that begins within the first `count` samples arrived, in milliseconds, or
   * Infinity if none begins there.
   */
  slackMs(count: number, nowMs: number): number {
    return this.#marks.slackMs(count, nowMs);
  }

  /** Updates the loudness of the speech from a frame that was played. */
  noteLoudness(frame: Float32Array): void {
    this.#loudness = Math.max(
      this.#loudness * LOUDNESS_KEPT,
      energyOf(frame, 0, frame.length) / frame.length,
    );
  }

  /** Whether the first `count` samples are silent in comparison with the speech that was played. */
  isQuiet(count: number): boolean {
    const energy = energyOf(this.#queue.waiting, 0, count) / count;
    return energy < Math.max(QUIET_ENERGY, this.#loudness * QUIET_SHARE ** 2);
  }

  /** Leaves out the oldest `count` samples, without a fade. */
  leaveOutOldest(count: number): number {
    this.#queue.drop(count);
    return this.#note(0, count);
  }

  /** Leaves out the first `count` samples, with a cross-fade to those after them. */
  leaveOutFirst(count: number): number {
    this.#queue.cut(0, count, FADE);
    return this.#note(0, count);
  }

  /** Leaves out one voice period of at most `most` samples at the beginning. Returns the number of samples left out. */
  leaveOutPeriod(most: number): number {
    return this.#note(0, leaveOutPeriod(this.#queue, RATE_HZ, most));
  }

  /** Leaves out `count` samples where this is least noticeable. */
  leaveOutQuietest(count: number): number {
    return this.#note(leaveOutQuietest(this.#queue, RATE_HZ, count), count);
  }

  #note(from: number, gone: number): number {
    if (gone > 0) this.#marks.remove(from, gone);
    this.#leftOut += gone;
    return gone;
  }
}
