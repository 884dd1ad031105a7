import { createHash } from 'node:crypto';
import { SeededRandom } from '../../../src/sandbox/voice/seeded-random.ts';

/** The random choices for one input. Equal seeds give equal choices. */
export class Random {
  readonly #numbers: SeededRandom;

  /** `parts` together form the seed. */
  constructor(...parts: readonly (string | number)[]) {
    this.#numbers = new SeededRandom(createHash('sha256').update(parts.join('/')).digest().readUInt32BE());
  }

  /** Returns a whole number from `min` to `max`, including both. */
  int(min: number, max: number): number {
    return min + Math.floor(this.#numbers.next() * (max - min + 1));
  }

  happens(percent: number): boolean {
    return this.#numbers.happens(percent);
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.int(0, items.length - 1)];
    if (item === undefined) throw new TypeError('Cannot pick one of no items');
    return item;
  }

  /** Returns a usually small, sometimes large number: half of all results are at most a tenth of `max`. */
  count(max: number): number {
    return Math.floor(max * this.#numbers.next() ** 3.3);
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.int(0, 255)));
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, place: this.#numbers.next() }))
      .sort((a, b) => a.place - b.place)
      .map(({ item }) => item);
  }

  /** Returns a number that often causes errors, or any number of `bits` bits. */
  hostileInt(bits: 8 | 16 | 24 | 32): number {
    const top = 2 ** bits;
    return this.pick([
      0,
      1,
      2,
      3,
      7,
      8,
      top / 2 - 1,
      top / 2,
      top - 1,
      top - 2,
      this.int(0, top - 1),
      this.int(0, 300),
    ]);
  }
}
