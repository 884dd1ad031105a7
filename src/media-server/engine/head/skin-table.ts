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
    const [r, g, b] = [position(red), position(green), position(blue)];
    const [r0, g0, b0] = [Math.min(STEPS - 2, r | 0), Math.min(STEPS - 2, g | 0), Math.min(STEPS - 2, b | 0)];
    const [fr, fg, fb] = [r - r0, g - g0, b - b0];
    const at = (r0 << 10) | (g0 << 5) | b0;
    return (
      (1 - fr) * ((1 - fg) * this.#along(at, fb) + fg * this.#along(at + STEPS, fb)) +
      fr * ((1 - fg) * this.#along(at + STEPS ** 2, fb) + fg * this.#along(at + STEPS ** 2 + STEPS, fb))
    );
  }

  #along(at: number, share: number): number {
    return (1 - share) * (this.#shares[at] ?? 0) + share * (this.#shares[at + 1] ?? 0);
  }
}

/** Where a value lies between the middles of the steps. */
function position(value: number): number {
  return Math.min(STEPS - 1, Math.max(0, (value - 4) / 8));
}

/** A colour that no class has seen, in its log density. */
const UNLIKELY = -60;
/** How gradually a share goes over from skin to something else: edges are mixtures of both. */
const SOFTNESS = 5;
