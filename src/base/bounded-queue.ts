/** A first-in first-out queue with a fixed limit: `push` refuses when full, and never grows past it. */
export class BoundedQueue<T> {
  readonly #items: T[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`Cannot bound a queue at ${limit}`);
    this.#limit = limit;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Adds `item`, or returns false when the queue is full. */
  push(item: T): boolean {
    if (this.#items.length >= this.#limit) return false;
    this.#items.push(item);
    return true;
  }

  shift(): T | undefined {
    return this.#items.shift();
  }

  /** Removes the first item that `matches` and says whether there was one. */
  remove(matches: (item: T) => boolean): boolean {
    const index = this.#items.findIndex(matches);
    if (index >= 0) this.#items.splice(index, 1);
    return index >= 0;
  }
}
