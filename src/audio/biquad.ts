/** One stage of an equaliser. Frequencies in Hz, gains in dB; `q` is the sharpness, default 0.707. */
export type EqualiserBand =
  | { readonly kind: 'highPass'; readonly hz: number; readonly q?: number }
  | { readonly kind: 'lowPass'; readonly hz: number; readonly q?: number }
  | {
      readonly kind: 'peak' | 'lowShelf' | 'highShelf';
      readonly hz: number;
      readonly gainDb: number;
      readonly q?: number;
    };

/** Values in a filter's memory below this count as silence, because tiny numbers slow the processor down. */
const SILENCE = 1e-15;

/** A second-order filter that changes a stream in place (after R. Bristow-Johnson's cookbook). */
export class Biquad {
  readonly #b0: number;
  readonly #b1: number;
  readonly #b2: number;
  readonly #a1: number;
  readonly #a2: number;
  #z1 = 0;
  #z2 = 0;

  constructor(band: EqualiserBand, sampleRateHz: number) {
    const { a0, a1, a2, b0, b1, b2 } = coefficients(band, sampleRateHz);
    this.#b0 = b0 / a0;
    this.#b1 = b1 / a0;
    this.#b2 = b2 / a0;
    this.#a1 = a1 / a0;
    this.#a2 = a2 / a0;
  }

  /** Filters the first `count` samples, in place. */
  process(samples: Float32Array, count: number = samples.length): void {
    let z1 = this.#z1;
    let z2 = this.#z2;
    for (let n = 0; n < count; n++) {
      const x = samples[n] ?? 0;
      const y = this.#b0 * x + z1;
      z1 = this.#b1 * x - this.#a1 * y + z2;
      z2 = this.#b2 * x - this.#a2 * y;
      samples[n] = y;
    }
    this.#z1 = Math.abs(z1) < SILENCE ? 0 : z1;
    this.#z2 = Math.abs(z2) < SILENCE ? 0 : z2;
  }
}

interface Coefficients {
  readonly a0: number;
  readonly a1: number;
  readonly a2: number;
  readonly b0: number;
  readonly b1: number;
  readonly b2: number;
}

function coefficients(band: EqualiserBand, sampleRateHz: number): Coefficients {
  // If the band is above the stream's frequency range, it is moved to the upper end of that range, where it has little
  // effect.
  const w = 2 * Math.PI * Math.min(band.hz / sampleRateHz, 0.45);
  const cos = Math.cos(w);
  const alpha = Math.sin(w) / (2 * (band.q ?? Math.SQRT1_2));
  const pass = { a0: 1 + alpha, a1: -2 * cos, a2: 1 - alpha };
  if (band.kind === 'lowPass') {
    return { ...pass, b0: (1 - cos) / 2, b1: 1 - cos, b2: (1 - cos) / 2 };
  }
  if (band.kind === 'highPass') {
    return { ...pass, b0: (1 + cos) / 2, b1: -1 - cos, b2: (1 + cos) / 2 };
  }
  const a = 10 ** (band.gainDb / 40);
  if (band.kind === 'peak') {
    return {
      a0: 1 + alpha / a,
      a1: -2 * cos,
      a2: 1 - alpha / a,
      b0: 1 + alpha * a,
      b1: -2 * cos,
      b2: 1 - alpha * a,
    };
  }
  return shelf(a, band.kind === 'lowShelf' ? cos : -cos, alpha, band.kind === 'lowShelf' ? 1 : -1);
}

/**
 * Returns the coefficients of a low shelf, or those of a high shelf if the sign of the cosine is reversed and `side` is
 * -1.
 */
function shelf(a: number, cos: number, alpha: number, side: 1 | -1): Coefficients {
  const slope = 2 * Math.sqrt(a) * alpha;
  return {
    a0: a + 1 + (a - 1) * cos + slope,
    a1: side * -2 * (a - 1 + (a + 1) * cos),
    a2: a + 1 + (a - 1) * cos - slope,
    b0: a * (a + 1 - (a - 1) * cos + slope),
    b1: side * 2 * a * (a - 1 - (a + 1) * cos),
    b2: a * (a + 1 - (a - 1) * cos - slope),
  };
}
