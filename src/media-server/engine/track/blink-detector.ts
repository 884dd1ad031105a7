import { EYELIDS } from '../face/eyelids.ts';
import { landmarkDistance } from '../face/face.ts';

/** The fold above the upper lid follows this share of the lid's movement. */
const FOLD_SHARE = 0.45;

/**
 * Measured: the mesh reads closed lids as `CLOSED_RATIO` of the same eyes' usual opening, and it never reads open lids
 * as less than `OPEN_RATIO` of it.
 */
const CLOSED_RATIO = 0.68;
const OPEN_RATIO = 0.85;
/**
 * The time constants with which the stored opening of the eyes adapts when the eyes are wider, and when they are
 * narrower.
 */
const WIDEN_SECONDS = 0.15;
const FORGET_SECONDS = 3;

/**
 * Detects blinks. The mesh reads closed lids as a third narrower than open ones, so blinks are detected by
 * the change relative to the same eyes shortly before.
 */
export class BlinkDetector {
  #open = 0;

  /**
   * Returns how far the lids are closed, 0 to 1, from the landmarks of the next frame. In the first frame, they count
   * as open.
   */
  next(landmarks: Float32Array, elapsedSeconds: number): number {
    const now = lidOpening(landmarks);
    if (this.#open === 0) this.#open = now;
    const ratio = now / Math.max(this.#open, 1e-6);
    const closed = Math.min(1, Math.max(0, (OPEN_RATIO - ratio) / (OPEN_RATIO - CLOSED_RATIO)));
    const slow = ratio > 1 ? WIDEN_SECONDS : FORGET_SECONDS;
    this.#open += (1 - Math.exp(-Math.max(0, elapsedSeconds) / slow)) * (now - this.#open);
    return closed;
  }

  reset(): void {
    this.#open = 0;
  }
}

/** Moves the upper lids of `landmarks` towards the lower ones by `closed`, 0 to 1, in place. */
export function closeLids(landmarks: Float32Array, closed: number): void {
  for (const lids of EYELIDS) {
    for (const [n, upper] of lids.upper.entries()) {
      const lower = (lids.lower[n] ?? upper) * 3;
      const crease = (lids.crease[n] ?? upper) * 3;
      for (let axis = 0; axis < 3; axis++) {
        const lid = landmarks[upper * 3 + axis] ?? 0;
        const way = closed * ((landmarks[lower + axis] ?? 0) - lid);
        landmarks[upper * 3 + axis] = lid + way;
        landmarks[crease + axis] = (landmarks[crease + axis] ?? 0) + FOLD_SHARE * way;
      }
    }
  }
}

function lidOpening(landmarks: Float32Array): number {
  let [apart, width] = [0, 0];
  for (const { corners, upper, lower } of EYELIDS) {
    for (const [n, point] of upper.entries()) apart += landmarkDistance(landmarks, point, lower[n] ?? point);
    width += landmarkDistance(landmarks, ...corners);
  }
  return apart / width;
}
