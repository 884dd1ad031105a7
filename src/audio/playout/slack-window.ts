const WINDOWS = 3;

/** The least of a series of times, over the last three windows that were filled. */
export class SlackWindow {
  readonly #size: number;
  readonly #least = new Float64Array(WINDOWS).fill(Infinity);
  #current = Infinity;
  #count = 0;

  /** Each window is `size` values long. */
  constructor(size: number) {
    this.#size = size;
  }

  /** Infinity before the first window is filled. */
  get leastMs(): number {
    const filled = Math.min(...this.#least);
    return filled === Infinity ? Infinity : Math.min(filled, this.#current);
  }

  /** True: a window has just been filled. */
  add(slackMs: number): boolean {
    this.#current = Math.min(this.#current, slackMs);
    if (++this.#count < this.#size) return false;
    this.#least.copyWithin(1, 0);
    this.#least[0] = this.#current;
    this.#current = Infinity;
    this.#count = 0;
    return true;
  }

  /** All of them would have been so much less. */
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
