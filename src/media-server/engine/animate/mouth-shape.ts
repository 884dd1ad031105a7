/**
 * The shape of a mouth at one moment of speech. Each value ranges from 0 (at rest, lips closed) to 1 (the
 * extreme in speech).
 */
export interface MouthShape {
  /** How far the jaw is lowered: 1 for a wide "ah". */
  readonly open: number;
  /**
   * How far the corners are drawn apart, as in "ee". Negative values, down to -1, mean rounded and protruded lips, as
   * in "oo".
   */
  readonly spread: number;
  /** How hard the lips are pressed together, as in "m", "b", "p". */
  readonly press: number;
  /** How far the lower lip is under the upper teeth, as in "f", "v". */
  readonly tuck: number;
}

/** The movement of a mouth during a stretch of speech. */
export interface MouthTrack {
  readonly durationSeconds: number;
  /** Returns the shape at a moment, smooth over time. Before and after the speech, the mouth is at rest. */
  at(seconds: number): MouthShape;
}

export const MOUTH_AT_REST: MouthShape = { open: 0, spread: 0, press: 0, tuck: 0 };
