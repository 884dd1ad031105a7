const MARKS_MAX = 128;

/** Remembers when the pieces of a queue arrived. Of very many pieces it remembers the newest. */
export class ArrivalMarks {
  readonly #framesPerMs: number;
  /** The place of each piece's first sample in the queue; below 0 once that sample was taken. */
  readonly #places = new Float64Array(MARKS_MAX);
  readonly #arrivedMs = new Float64Array(MARKS_MAX);
  #count = 0;

  constructor(sampleRateHz: number) {
    this.#framesPerMs = sampleRateHz / 1000;
  }

  /** Notes a piece that begins at a place of the queue. */
  add(place: number, arrivedMs: number): void {
    if (this.#count === MARKS_MAX) this.#forget(1);
    this.#places[this.#count] = place;
    this.#arrivedMs[this.#count] = arrivedMs;
    this.#count++;
  }

  /** How long the queue's first sample has waited, less the time in which the samples before it in its piece were played. */
  waitedMs(nowMs: number): number {
    if (this.#count === 0) return 0;
    return nowMs - (this.#arrivedMs[0] ?? 0) + Math.min(0, this.#places[0] ?? 0) / this.#framesPerMs;
  }

  /** How long ago the last of the pieces arrived that begin in the first `count` samples; Infinity if none begins there. */
  slackMs(count: number, nowMs: number): number {
    let slackMs = Infinity;
    for (let n = 0; n < this.#count; n++) {
      const place = this.#places[n] ?? 0;
      if (place >= 0 && place < count) slackMs = nowMs - (this.#arrivedMs[n] ?? 0);
    }
    return slackMs;
  }

  /** Notes that `count` samples from a place of the queue on are gone. */
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
