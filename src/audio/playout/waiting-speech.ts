import { energyOf } from '../likeness.ts';
import { SampleQueue } from '../sample-queue.ts';
import { ArrivalMarks } from './arrival-marks.ts';
import { FADE, MS, QUEUE_MS_MAX, RATE_HZ } from './playout-units.ts';
import { leaveOutPeriod, leaveOutQuietest } from './shorten.ts';

const QUIET_SHARE = 0.05;
const QUIET_ENERGY = 0.002 ** 2;
/** The share of the loudness that is still remembered one frame later. */
const LOUDNESS_KEPT = 0.995;

/** The speech that waits to be played, with the times at which it arrived. Counts what is left out of it. */
export class WaitingSpeech {
  readonly #queue = new SampleQueue(QUEUE_MS_MAX * MS);
  readonly #marks = new ArrivalMarks(RATE_HZ);
  #loudness = 0;
  #leftOut = 0;

  /** Samples that wait. */
  get length(): number {
    return this.#queue.length;
  }

  /** Samples that were left out so far. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** Appends the first `count` samples. There must be room for them. */
  push(samples: Float32Array, count: number, nowMs: number): void {
    this.#marks.add(this.#queue.length, nowMs);
    this.#queue.push(samples, count);
  }

  /** Takes the oldest samples, as many as there are, into the start of `frame`; returns how many. */
  take(frame: Float32Array): number {
    const count = this.#queue.take(frame);
    this.#marks.remove(0, count);
    return count;
  }

  /** How long the first sample has waited, in milliseconds. */
  waitedMs(nowMs: number): number {
    return this.#marks.waitedMs(nowMs);
  }

  /** How long ago the last of the pieces arrived that begin in the first `count` samples; Infinity if none begins there. */
  slackMs(count: number, nowMs: number): number {
    return this.#marks.slackMs(count, nowMs);
  }

  /** Learns from a frame that was played how loud the speech is. */
  noteLoudness(frame: Float32Array): void {
    this.#loudness = Math.max(
      this.#loudness * LOUDNESS_KEPT,
      energyOf(frame, 0, frame.length) / frame.length,
    );
  }

  /** Whether the first `count` samples are silence, compared with what was played. */
  isQuiet(count: number): boolean {
    const energy = energyOf(this.#queue.waiting, 0, count) / count;
    return energy < Math.max(QUIET_ENERGY, this.#loudness * QUIET_SHARE ** 2);
  }

  /** Leaves out the oldest `count` samples, without a fade. */
  leaveOutOldest(count: number): number {
    this.#queue.drop(count);
    return this.#note(0, count);
  }

  /** Leaves out the first `count` samples; those after them fade in. */
  leaveOutFirst(count: number): number {
    this.#queue.cut(0, count, FADE);
    return this.#note(0, count);
  }

  /** Leaves out one period of a voice of at most `most` samples, at the beginning; returns how many samples it had. */
  leaveOutPeriod(most: number): number {
    return this.#note(0, leaveOutPeriod(this.#queue, RATE_HZ, most));
  }

  /** Leaves out `count` samples where that is heard least. */
  leaveOutQuietest(count: number): number {
    return this.#note(leaveOutQuietest(this.#queue, RATE_HZ, count), count);
  }

  #note(from: number, gone: number): number {
    if (gone > 0) this.#marks.remove(from, gone);
    this.#leftOut += gone;
    return gone;
  }
}
