const FADE_FROM_DEGREES = 38;
const FADE_TO_DEGREES = 45;
/**
 * After a head has turned away, its swapped face reappears only below this angle, so that it does not flicker at the
 * limit.
 */
const BACK_AT_DEGREES = 42;
/** The minimum time for a change of the weight by 1, so that no face appears or disappears abruptly. */
const FADE_SECONDS = 0.16;

/** Computes the opacity of a swapped face as the head turns: 1 up to 38 degrees, 0 beyond 45 degrees. */
export class SwapWeight {
  #weight = 0;
  #away = false;

  /** Returns the weight, 0 to 1, at this angle. A face that `appears` with the scene is visible at once. */
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
    // Beyond the limit there is no fading, because the mesh of a profile no longer fits.
    if (yaw > FADE_TO_DEGREES) this.#weight = 0;
    return this.#weight;
  }

  reset(): void {
    this.#weight = 0;
    this.#away = false;
  }
}
