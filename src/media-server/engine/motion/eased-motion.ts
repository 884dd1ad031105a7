import { type FaceMotion, MOTION_AT_REST } from '../animate/face-motion.ts';
import { smoothStep } from '../smooth-step.ts';

/** How long a face takes to reach its rest position after its driver is lost, and to move back into the motion. */
const EASE_SECONDS = 0.4;

/**
 * Bridges gaps in a motion: while there is no motion to follow, the face moves to its rest position; afterwards it
 * moves back into the motion.
 */
export class EasedMotion {
  #last: FaceMotion = MOTION_AT_REST;
  #presence: number | undefined;

  /** Returns the motion to show for a reading, `elapsedSeconds` after the previous reading. */
  next(read: FaceMotion | undefined, elapsedSeconds: number): FaceMotion {
    const step = elapsedSeconds / EASE_SECONDS;
    // If a clip starts with a face, its motion is shown from the first frame without easing.
    const before = this.#presence ?? (read ? 1 : 0);
    this.#presence = Math.min(1, Math.max(0, before + (read ? step : -step)));
    if (read) this.#last = read;
    return this.#presence === 1 ? this.#last : weakened(this.#last, smoothStep(0, 1, this.#presence));
  }
}

function weakened(motion: FaceMotion, share: number): FaceMotion {
  const { pose, mouth, torso } = motion;
  return {
    pose: {
      yaw: share * pose.yaw,
      pitch: share * pose.pitch,
      roll: share * pose.roll,
      across: share * pose.across,
      down: share * pose.down,
      scale: 1 + share * (pose.scale - 1),
    },
    mouth: {
      open: share * mouth.open,
      spread: share * mouth.spread,
      press: share * mouth.press,
      tuck: share * mouth.tuck,
    },
    blinkLeft: share * motion.blinkLeft,
    blinkRight: share * motion.blinkRight,
    browLeft: share * motion.browLeft,
    browRight: share * motion.browRight,
    torso: { across: share * torso.across, down: share * torso.down },
    offsets: motion.offsets?.map((offset) => share * offset),
  };
}
