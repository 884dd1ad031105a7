import { MOUTH_AT_REST, type MouthShape, type MouthTrack } from '../animate/mouth-shape.ts';

/** Values per moment: open, spread, press, tuck. */
export const SHAPE_VALUES = 4;

/** A track of shapes at equal distances in time, joined by straight lines; takes the values over. */
export class SampledMouthTrack implements MouthTrack {
  readonly durationSeconds: number;
  readonly #values: Float32Array;
  readonly #rateHz: number;

  /** The first shape is at 0 s; `values` holds `SHAPE_VALUES` per shape. */
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
