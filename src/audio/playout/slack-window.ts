const WINDOWS = 3;

/** Finds the shortest of a series of times over the last three windows that were filled. */
export class SlackWindow {
  readonly #size: number;
  readonly #least = new Float64Array(WINDOWS).fill(Infinity);
  #current = Infinity;
  #count = 0;

  /** Each window is `size` values long. */
  constructor(size: number) {
    this.#size = size;
  }

  /** The shortest time; Infinity before the first window is filled. */
  get leastMs(): number {
    const filled = Math.min(...this.#least);
    return filled === Infinity ? Infinity : Math.min(filled, this.#current);
  }

  /** Adds a time. Returns true if it fills a window. */
  add(slackMs: number): boolean {
    this.#current = Math.min(this.#current, slackMs);
    if (++this.#count < this.#size) return false;
    this.#least.copyWithin(1, 0);
    this.#least[0] = this.#current;
    this.#current = Infinity;
    this.#count = 0;
    return true;
  }

  /** Makes all times shorter by this much. */
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
