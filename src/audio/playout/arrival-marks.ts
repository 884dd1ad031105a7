const MARKS_MAX = 128;

/** Stores when the pieces of a queue arrived. Once it is full, it keeps only the newest times. */
export class ArrivalMarks {
  readonly #framesPerMs: number;
  /** The index in the queue of each piece's first sample. It is negative once that sample has been taken. */
  readonly #places = new Float64Array(MARKS_MAX);
  readonly #arrivedMs = new Float64Array(MARKS_MAX);
  #count = 0;

  constructor(sampleRateHz: number) {
    this.#framesPerMs = sampleRateHz / 1000;
  }

  /** Records a piece that begins at index `place` of the queue. */
  add(place: number, arrivedMs: number): void {
    if (this.#count === MARKS_MAX) this.#forget(1);
    this.#places[this.#count] = place;
    this.#arrivedMs[this.#count] = arrivedMs;
    this.#count++;
  }

  /**
   * Returns how long the queue's first sample has waited, not counting the time for which earlier samples of the same
   * piece were played.
   */
  waitedMs(nowMs: number): number {
    if (this.#count === 0) return 0;
    return nowMs - (this.#arrivedMs[0] ?? 0) + Math.min(0, this.#places[0] ?? 0) / this.#framesPerMs;
  }

  /**
   * Returns how long ago the last piece that begins within the first `count` samples arrived, in milliseconds, or
   * Infinity if none begins there.
   */
  slackMs(count: number, nowMs: number): number {
    let slackMs = Infinity;
    for (let n = 0; n < this.#count; n++) {
      const place = this.#places[n] ?? 0;
      if (place >= 0 && place < count) slackMs = nowMs - (this.#arrivedMs[n] ?? 0);
    }
    return slackMs;
  }

  /** Records that `count` samples were removed from the queue, starting at index `from`. */
  remove(from: number, count: number): void {
    let past = 0;
    for (let n = 0; n < this.#count; n++) {
      const place = this.#places[n] ?? 0;
      if (from === 0) this.#places[n] = place - count;
      else if (place > from) this.#places[n] = Math.max(from, place - count);
      if ((this.#places[n] ?? 0) <= 0) past = n;
    }
    this.#forget(past);
  }

  #forget(count: number): void {
    if (count === 0) return;
    this.#places.copyWithin(0, count, this.#count);
    this.#arrivedMs.copyWithin(0, count, this.#count);
    this.#count -= count;
  }
}
