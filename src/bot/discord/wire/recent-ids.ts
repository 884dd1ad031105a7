/** Stores the last `limit` ids to recognise repeats. */
export class RecentIds {
  readonly #ids = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Stores `id`; returns false if it is already stored. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    const [oldest] = this.#ids;
    if (oldest !== undefined && this.#ids.size >= this.#limit) this.#ids.delete(oldest);
    this.#ids.add(id);
    return true;
  }
}
