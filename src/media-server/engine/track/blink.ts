import { EYELIDS } from '../face/eyelids.ts';
import { landmarkDistance } from '../face/face.ts';

/** The fold above the upper lid follows it halfway. */
const FOLD_SHARE = 0.45;

/** Measured: closed lids are read as this share of the same eyes open, and open ones never as less than the other. */
const CLOSED_RATIO = 0.68;
const OPEN_RATIO = 0.85;
/** How fast the memory of the open eyes follows wider ones, and others. */
const WIDEN_SECONDS = 0.15;
const FORGET_SECONDS = 3;

/**
 * Sees blinks: the mesh reads closed lids as a third narrower than open ones, so what tells is the change against
 * the same eyes a moment before.
 */
export class BlinkSense {
  #open = 0;

  /** How far the lids are closed, 0 to 1, by the landmarks of the next picture. The first is taken as open. */
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

/** Moves the upper lids of `landmarks` down to the lower ones by `closed`, 0 to 1, in place. */
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
