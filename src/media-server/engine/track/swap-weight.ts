const FADE_FROM_DEGREES = 38;
const FADE_TO_DEGREES = 45;
/** A head that turned away comes back only from here on, so that one that stays at the limit does not flicker. */
const BACK_AT_DEGREES = 42;
/** The weight changes by 1 in this time at most, so that no face pops in or out. */
const FADE_SECONDS = 0.16;

/** How much of a swapped face shows as the head turns: 1 up to 38 degrees, 0 from 45 on. */
export class SwapWeight {
  #weight = 0;
  #away = false;

  /** The weight, 0 to 1, at this turn. A face that `appears` with the scene is there at once. */
  next(yawDegrees: number, elapsedSeconds: number, appears: boolean): number {
    const yaw = Math.abs(yawDegrees);
    this.#away = yaw >= (this.#away ? BACK_AT_DEGREES : FADE_TO_DEGREES);
    const turned = Math.min(
      1,
      Math.max(0, (yaw - FADE_FROM_DEGREES) / (FADE_TO_DEGREES - FADE_FROM_DEGREES)),
    );
    const wanted = this.#away ? 0 : 1 - turned;
    const step = appears ? 1 : Math.max(0, elapsedSeconds) / FADE_SECONDS;
    this.#weight += Math.min(step, Math.max(-step, wanted - this.#weight));
    // Past the limit nothing is faded: the mesh of a profile does not fit any more.
    if (yaw > FADE_TO_DEGREES) this.#weight = 0;
    return this.#weight;
  }

  reset(): void {
    this.#weight = 0;
    this.#away = false;
  }
}
