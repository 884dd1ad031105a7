import { Random } from '../random.ts';
import { CANARY } from '../target.ts';

const HONEST_PERCENT = 55;
const LIE_PERCENT = 4;
/** A very long run of small parts is what parsers forget to bound: one such in one of a few hundred inputs. */
const MANY_PERCENT = 0.6;
const MANY_HERE_PERCENT = 40;
const MANY_MIN = 10_000;
const MANY_MAX = 1_000_000;
const MANY_BYTES_MAX = [500_000, 2_000_000, 9_000_000];

export interface HandOptions {
  readonly isHonest?: boolean;
  /** How many of its numbers and parts a liar gets wrong: more where a format has few of them. */
  readonly liePercent?: number;
}

/** Writes one input: an honest hand makes a file that is whole and right, the other one lies now and then. */
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

  /** A number of the format as it is, or not. */
  number(right: number, bits: 8 | 16 | 24 | 32): number {
    return this.lies() ? this.random.hostileInt(bits) : right;
  }

  lies(percent: number = this.#liePercent): boolean {
    return !this.isHonest && this.random.happens(percent);
  }

  /** The parts, where a liar leaves some out, repeats and shuffles them. */
  parts(parts: readonly Buffer[]): Buffer {
    const { random } = this;
    if (!this.lies(20)) return Buffer.concat(parts);
    const kept = parts
      .filter(() => !random.happens(10))
      .flatMap((part) => (random.happens(10) ? [part, part] : [part]));
    return Buffer.concat(random.happens(30) ? random.shuffled(kept) : kept);
  }

  /** Parts that may come as often as they like: usually a few, and now and then one a great many times. */
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

  /** Words that must not be in what is admitted, and the place that they stand at. */
  words(place: string): Buffer {
    if (!this.isHonest) return Buffer.from('words of a liar');
    return Buffer.from(`${CANARY}@${place};`, this.random.happens(20) ? 'utf16le' : 'latin1');
  }

  /** One that makes the same choices each time it is asked. */
  sameEachTime(): () => Hand {
    const seed = this.random.int(0, 2 ** 31);
    return () => new Hand(new Random(seed), { isHonest: this.isHonest, liePercent: this.#liePercent });
  }
}
