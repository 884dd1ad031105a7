import type { PitchTracker } from '../../../audio/pitch-tracker.ts';

/** In each period, the window's centre moves towards the period's strongest point by this share of the distance. */
const FOLLOW = 0.15;

/**
 * Steps through voiced speech period by period. Marks are exactly one period apart, so that grains cut at
 * them fit together. `offset` is the distance of a period's strongest point from its mark. All values are in
 * samples of the speech.
 */
export class SpeechMarks {
  readonly #tracker: PitchTracker;
  #at = 0;
  #period = 0;
  #periodBefore = 0;
  #offset = 0;

  constructor(tracker: PitchTracker) {
    this.#tracker = tracker;
  }

  /** The current mark. */
  get at(): number {
    return this.#at;
  }

  /** The distance from the current mark to the next. */
  get period(): number {
    return this.#period;
  }

  /** The distance from the previous mark to the current one. */
  get periodBefore(): number {
    return this.#periodBefore;
  }

  get offset(): number {
    return this.#offset;
  }

  /** Restarts at a position where the speech is strong. */
  begin(at: number, period: number): void {
    this.#at = at;
    this.#periodBefore = period;
    this.#period = this.#tracker.refine(at, period);
    this.#offset = 0;
  }

  /** Advances to the last mark at or before `position`. */
  advance(position: number): void {
    while (this.#at + this.#period <= position + 1e-6) {
      this.#at += this.#period;
      this.#periodBefore = this.#period;
      const heard = this.#tracker.periodAt(this.#at + this.#period / 2) || this.#period;
      // If the measured period is close to the last one, their mean is more accurate; otherwise the voice has
      // jumped.
      const isNear = Math.abs(heard - this.#period) < 0.2 * this.#period;
      this.#period = this.#tracker.refine(this.#at, isNear ? (heard + this.#period) / 2 : heard);
      this.#followStrength();
    }
  }

  #followStrength(): void {
    const half = this.#period / 2;
    const strongest = this.#tracker.strongestBetween(this.#at - half, this.#at + half) - this.#at;
    let drift = strongest - this.#offset;
    if (drift > half) drift -= this.#period;
    if (drift < -half) drift += this.#period;
    this.#offset += FOLLOW * drift;
    if (this.#offset > half) this.#offset -= this.#period;
    if (this.#offset < -half) this.#offset += this.#period;
  }
}
