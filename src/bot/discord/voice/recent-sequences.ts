const SLOTS = 128;
const NONE = -1;

/** The recent sequence numbers of one stream, which reveal duplicate packets. */
export class RecentSequences {
  readonly #slots = new Int32Array(SLOTS).fill(NONE);

  has(sequence: number): boolean {
    return this.#slots[sequence % SLOTS] === sequence;
  }

  add(sequence: number): void {
    this.#slots[sequence % SLOTS] = sequence;
  }
}
