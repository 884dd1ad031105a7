/** A first-in first-out queue with a fixed limit: `push` returns false when the queue is full. */
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

  /**
   * Removes the item with the lowest rank, or the oldest of several with that rank. Keeps items with an infinite rank.
   */
  shiftLowest(rankOf: (item: T) => number): T | undefined {
    let lowest = -1;
    let lowestRank = Infinity;
    for (const [index, item] of this.#items.entries()) {
      const rank = rankOf(item);
      if (rank >= lowestRank) continue;
      lowest = index;
      lowestRank = rank;
    }
    return lowest < 0 ? undefined : this.#items.splice(lowest, 1)[0];
  }

  /** Returns the number of items that match. */
  count(matches: (item: T) => boolean): number {
    return this.#items.filter(matches).length;
  }

  /** Removes the first item that matches. Returns whether there was one. */
  remove(matches: (item: T) => boolean): boolean {
    const index = this.#items.findIndex(matches);
    if (index >= 0) this.#items.splice(index, 1);
    return index >= 0;
  }
}
