import { Blinking } from '../animate/blinking.ts';
import type { FaceMotion } from '../animate/face-motion.ts';
import type { MouthTrack } from '../animate/mouth-shape.ts';
import { smoothNoise } from '../animate/smooth-noise.ts';
import { clamp } from '../clamp.ts';
import { smoothStep } from '../smooth-step.ts';

const DEGREE = Math.PI / 180;
/** The time over which the head leaves its initial pose. */
const SETTLE_SECONDS = 1.5;
const BREATH_SECONDS = 4.1;

/**
 * The motion of a speaking person: the mouth follows the track; blinks, small head movements and raised brows are
 * added.
 */
export class SpeakerMotion {
  readonly #mouth: MouthTrack;
  readonly #blinking: Blinking;
  readonly #noises: readonly ((seconds: number) => number)[];

  /** Equal tracks and seeds give equal movements. */
  constructor(mouth: MouthTrack, seed: number) {
    this.#mouth = mouth;
    this.#blinking = new Blinking(seed);
    this.#noises = [1.7, 2.3, 2.9, 3.7, 0.9, 1.3].map((period, n) =>
      smoothNoise(seed + 101 * (n + 1), period),
    );
  }

  /** Returns the motion at a moment. Call it with increasing times. */
  at(seconds: number): FaceMotion {
    const [turn = 0, nod = 0, tilt = 0, drift = 0, quick = 0, brow = 0] = this.#noises.map((noise) =>
      noise(seconds),
    );
    const settled = smoothStep(0, SETTLE_SECONDS, seconds);
    const accent = this.#accent(seconds);
    const talk = 0.6 + 0.4 * smoothStep(0.03, 0.27, this.#loudness(seconds, 0.5));
    const raised = settled * clamp(0.1 * brow + accent * (0.45 + 0.35 * brow), -0.2, 0.7);
    const { left, right } = this.#blinking.at(seconds);
    const breath = Math.sin((2 * Math.PI * seconds) / BREATH_SECONDS);
    return {
      pose: {
        yaw: settled * talk * (5.5 * turn + 1.3 * quick) * DEGREE,
        pitch: settled * (talk * (2.2 * nod + 0.5 * quick) + 2.6 * accent) * DEGREE,
        roll: settled * talk * (1.8 * tilt + 0.9 * turn) * DEGREE,
        across: settled * (0.035 * drift + 0.02 * turn),
        down: settled * (0.012 * nod + 0.02 * accent),
        scale: 1 + settled * 0.01 * drift,
      },
      mouth: this.#mouth.at(seconds),
      blinkLeft: left,
      blinkRight: right,
      browLeft: raised,
      browRight: raised * 0.9,
      torso: { across: settled * 0.02 * drift, down: settled * 0.012 * breath },
    };
  }

  /** Returns how much a moment stands out from the speech around it, 0 to 1. */
  #accent(seconds: number): number {
    return clamp(1.6 * (this.#loudness(seconds, 0.16) - this.#loudness(seconds, 0.7)), 0, 1);
  }

  /** Returns the mean opening of the mouth around a moment, with more weight closer to that moment. */
  #loudness(seconds: number, reachSeconds: number): number {
    let sum = 0;
    let weights = 0;
    for (let step = -6; step <= 6; step++) {
      const weight = 1 - Math.abs(step) / 7;
      sum += weight * this.#mouth.at(seconds + (step / 6) * reachSeconds).open;
      weights += weight;
    }
    return sum / weights;
  }
}
