const ROOM_FIRST = 16_384;

/** A first-in first-out queue of samples in one array, with a maximum length. */
export class SampleQueue {
  readonly #limit: number;
  #samples = new Float32Array(ROOM_FIRST);
  #head = 0;
  #length = 0;

  /** Holds at most `limit` samples. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#length;
  }

  /** The waiting samples, oldest first. The view is valid until the queue changes. */
  get waiting(): Float32Array {
    return this.#samples.subarray(this.#head, this.#head + this.#length);
  }

  /** Appends as many of the first `count` samples as fit, and returns their number. */
  push(from: Float32Array, count: number = from.length): number {
    const taken = Math.min(count, this.#limit - this.#length);
    this.#makeRoom(taken);
    this.#samples.set(from.subarray(0, taken), this.#head + this.#length);
    this.#length += taken;
    return taken;
  }

  /** Moves the oldest samples, as many as there are, to the start of `into`. Returns their number. */
  take(into: Float32Array): number {
    const count = Math.min(into.length, this.#length);
    into.set(this.#samples.subarray(this.#head, this.#head + count));
    this.drop(count);
    return count;
  }

  /** Removes the oldest `count` samples. */
  drop(count: number): void {
    this.#head += count;
    this.#length -= count;
    if (this.#length === 0) this.#head = 0;
  }

  /** Removes `count` samples, starting at index `at`, with a cross-fade of `fade` samples. */
  cut(at: number, count: number, fade: number): void {
    if (at + count + fade > this.#length) throw new RangeError('Cannot cut: too few samples wait');
    const { waiting } = this;
    for (let n = 0; n < fade; n++) {
      const share = (n + 1) / (fade + 1);
      const [before, after] = [waiting[at + n] ?? 0, waiting[at + count + n] ?? 0];
      waiting[at + n] = before + (after - before) * share;
    }
    waiting.copyWithin(at + fade, at + count + fade);
    this.#length -= count;
  }

  #makeRoom(count: number): void {
    if (this.#head + this.#length + count <= this.#samples.length) return;
    const needed = this.#length + count;
    // Keeping half of the array free means that samples are seldom moved.
    const isTooSmall = needed > this.#samples.length / 2 && this.#samples.length < 1.5 * this.#limit;
    const room = Math.max(needed, Math.min(2 * needed, 1.5 * this.#limit));
    const target = isTooSmall ? new Float32Array(room) : this.#samples;
    target.set(this.waiting);
    this.#samples = target;
    this.#head = 0;
  }
}
