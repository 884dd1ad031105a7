import type { PersonColours } from './person-parts.ts';

const STEPS = 32;
const LAST = STEPS - 2;
const SHIFT = 3;

/** A table over RGB of the likelihood, 0 to 1, that a colour is skin rather than hair, clothes or background. */
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

  /** Returns the share of skin in a colour with components from 0 to 255. */
  at(red: number, green: number, blue: number): number {
    const r = position(red);
    const g = position(green);
    const b = position(blue);
    const r0 = r < LAST ? r | 0 : LAST;
    const g0 = g < LAST ? g | 0 : LAST;
    const b0 = b < LAST ? b | 0 : LAST;
    const shares = this.#shares;
    const at = (r0 << 10) | (g0 << 5) | b0;
    const fb = b - b0;
    const near = mix(along(shares, at, fb), along(shares, at + STEPS, fb), g - g0);
    const far = mix(along(shares, at + STEPS ** 2, fb), along(shares, at + STEPS ** 2 + STEPS, fb), g - g0);
    return mix(near, far, r - r0);
  }
}

function along(shares: Float32Array, at: number, share: number): number {
  return mix(shares[at] ?? 0, shares[at + 1] ?? 0, share);
}

function mix(a: number, b: number, share: number): number {
  return a + share * (b - a);
}

/** Returns the position of a value between the centres of the steps. */
function position(value: number): number {
  const at = (value - 4) / 8;
  return at <= 0 ? 0 : at >= STEPS - 1 ? STEPS - 1 : at;
}

/** The log density of a colour that no class contains. */
const UNLIKELY = -60;
/**
 * How gradually the share changes between skin and the other classes. The change is not abrupt, because pixels on edges
 * are mixtures.
 */
const SOFTNESS = 5;
