/** How a mouth stands at one moment of speech; all shares from 0 (at rest, lips closed) to 1 (as far as speech goes). */
export interface MouthShape {
  /** Lowering of the jaw: 1 for a wide "ah". */
  readonly open: number;
  /** Corners drawn apart, as in "ee"; negative down to -1: rounded and protruded, as in "oo". */
  readonly spread: number;
  /** Lips pressed together, as in "m", "b", "p". */
  readonly press: number;
  /** Lower lip under the upper teeth, as in "f", "v". */
  readonly tuck: number;
}

/** What a mouth does over the length of some speech. */
export interface MouthTrack {
  readonly durationSeconds: number;
  /** The shape at a moment, smooth over time. Outside of the speech: at rest. */
  at(seconds: number): MouthShape;
}

export const MOUTH_AT_REST: MouthShape = { open: 0, spread: 0, press: 0, tuck: 0 };
