import type { PersonColours } from './person-parts.ts';

const STEPS = 32;
const SHIFT = 3;

/** How likely a colour is skin rather than hair, clothes or background, 0 to 1: a table over RGB. */
export class SkinTable {
  readonly #shares = new Float32Array(STEPS ** 3);

  constructor({ skin, hair, body, background }: PersonColours) {
    const others = [hair, body, background].filter((model) => model !== undefined);
    if (!skin) return;
    for (let n = 0; n < this.#shares.length; n++) {
      const [red, green, blue] = [n >> 10, (n >> 5) & 31, n & 31].map((step) => (step << SHIFT) + 4) as [
        number,
        number,
        number,
      ];
      const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
      const [cb, cr] = [0.564 * (blue - luma), 0.713 * (red - luma)];
      const own = skin.logDensity(luma, cb, cr);
      const other = Math.max(UNLIKELY, ...others.map((model) => model.logDensity(luma, cb, cr)));
      this.#shares[n] = 1 / (1 + Math.exp(Math.min(30, (other - own) / SOFTNESS)));
    }
  }

  /** The share of skin in a colour, 0 to 255 each. */
  at(red: number, green: number, blue: number): number {
    return this.#shares[((red >> SHIFT) << 10) | ((green >> SHIFT) << 5) | (blue >> SHIFT)] ?? 0;
  }
}

/** A colour that no class has seen, in its log density. */
const UNLIKELY = -60;
/** How gradually a share goes over from skin to something else: edges are mixtures of both. */
const SOFTNESS = 5;
