const WINDOWS = 3;

/** Finds the shortest time in the last three full windows of a series and in the unfinished window after them. */
export class SlackWindow {
  readonly #size: number;
  readonly #least = new Float64Array(WINDOWS).fill(Infinity);
  #current = Infinity;
  #count = 0;

  /** Each window has `size` values. */
  constructor(size: number) {
    this.#size = size;
  }

  /** The shortest time, or Infinity until the first window is full. */
  get leastMs(): number {
    const filled = Math.min(...this.#least);
    return filled === Infinity ? Infinity : Math.min(filled, this.#current);
  }

  /** Adds a time. Returns true if this fills a window. */
  add(slackMs: number): boolean {
    this.#current = Math.min(this.#current, slackMs);
    if (++this.#count < this.#size) return false;
    this.#least.copyWithin(1, 0);
    this.#least[0] = this.#current;
    this.#current = Infinity;
    this.#count = 0;
    return true;
  }

  /** Reduces all times by this much. */
  lessen(ms: number): void {
    this.#current -= ms;
    for (let n = 0; n < WINDOWS; n++) this.#least[n] = (this.#least[n] ?? Infinity) - ms;
  }

  clear(): void {
    this.#least.fill(Infinity);
    this.#current = Infinity;
    this.#count = 0;
  }
}
