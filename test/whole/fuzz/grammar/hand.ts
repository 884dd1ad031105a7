import { Random } from '../random.ts';
import { CANARY } from '../target.ts';

const HONEST_PERCENT = 55;
const LIE_PERCENT = 4;
/**
 * One in a few hundred inputs contains a very long run of small parts, for which parsers often set no limit.
 */
const MANY_PERCENT = 0.6;
const MANY_HERE_PERCENT = 40;
const MANY_MIN = 10_000;
const MANY_MAX = 1_000_000;
const MANY_BYTES_MAX = [500_000, 2_000_000, 9_000_000];

export interface HandOptions {
  readonly isHonest?: boolean;
  /** The percentage of values that a dishonest hand falsifies; higher for formats that have few values. */
  readonly liePercent?: number;
}

/**
 * Writes one input: an honest hand writes a complete and correct file, and a dishonest one falsifies some
 * values.
 */
export class Hand {
  readonly random: Random;
  readonly isHonest: boolean;
  readonly #liePercent: number;
  #mayRepeat: boolean;

  constructor(random: Random, options: HandOptions = {}) {
    this.random = random;
    this.isHonest = options.isHonest ?? random.happens(HONEST_PERCENT);
    this.#liePercent = options.liePercent ?? LIE_PERCENT;
    this.#mayRepeat = random.happens(MANY_PERCENT);
  }

  /** Returns the right number, or a false one from a dishonest hand. */
  number(right: number, bits: 8 | 16 | 24 | 32): number {
    return this.lies() ? this.random.hostileInt(bits) : right;
  }

  lies(percent: number = this.#liePercent): boolean {
    return !this.isHonest && this.random.happens(percent);
  }

  /** Returns the parts; a dishonest hand omits, repeats and shuffles some of them. */
  parts(parts: readonly Buffer[]): Buffer {
    const { random } = this;
    if (!this.lies(20)) return Buffer.concat(parts);
    const kept = parts
      .filter(() => !random.happens(10))
      .flatMap((part) => (random.happens(10) ? [part, part] : [part]));
    return Buffer.concat(random.happens(30) ? random.shuffled(kept) : kept);
  }

  /** Returns repeatable parts: usually a few, and occasionally one part with a very large number of copies. */
  times(max: number, make: (index: number) => Buffer): Buffer[] {
    const { random } = this;
    if (!this.#mayRepeat || !random.happens(MANY_HERE_PERCENT)) {
      return Array.from({ length: random.count(max) }, (_none, index) => make(index));
    }
    this.#mayRepeat = false;
    const part = make(0);
    const count = Math.min(
      random.int(MANY_MIN, MANY_MAX),
      Math.floor(random.pick(MANY_BYTES_MAX) / Math.max(1, part.length)),
    );
    return Array.from({ length: count }, () => part);
  }

  /** Returns words that no admitted file may contain; they name the place where they are written. */
  words(place: string): Buffer {
    if (!this.isHonest) return Buffer.from('words of a liar');
    return Buffer.from(`${CANARY}@${place};`, this.random.happens(20) ? 'utf16le' : 'latin1');
  }

  /** Returns a function that creates hands which all make the same choices. */
  sameEachTime(): () => Hand {
    const seed = this.random.int(0, 2 ** 31);
    return () => new Hand(new Random(seed), { isHonest: this.isHonest, liePercent: this.#liePercent });
  }
}
