import { MOUTH_AT_REST, type MouthShape, type MouthTrack } from '../animate/mouth-shape.ts';

/** The number of values per shape: open, spread, press, tuck. */
export const SHAPE_VALUES = 4;

/** A track of shapes at equal intervals with linear interpolation. It takes ownership of the values. */
export class SampledMouthTrack implements MouthTrack {
  readonly durationSeconds: number;
  readonly #values: Float32Array;
  readonly #rateHz: number;

  /** The first shape is at 0 s; `values` contains `SHAPE_VALUES` per shape. */
  constructor(values: Float32Array, rateHz: number, durationSeconds: number) {
    this.#values = values;
    this.#rateHz = rateHz;
    this.durationSeconds = durationSeconds;
  }

  at(seconds: number): MouthShape {
    if (!(seconds >= 0 && seconds <= this.durationSeconds)) return MOUTH_AT_REST;
    const position = seconds * this.#rateHz;
    const before = Math.floor(position);
    const share = position - before;
    const value = (n: number): number => {
      const here = this.#values[before * SHAPE_VALUES + n] ?? 0;
      return here + share * ((this.#values[(before + 1) * SHAPE_VALUES + n] ?? here) - here);
    };
    return { open: value(0), spread: value(1), press: value(2), tuck: value(3) };
  }
}
