/** Edge of the upper lid and the lower one, point by point, without the corners; both eyes. */
const UPPER_LID = [246, 161, 160, 159, 158, 157, 173, 466, 388, 387, 386, 385, 384, 398];
const LOWER_LID = [7, 163, 144, 145, 153, 154, 155, 249, 390, 373, 374, 380, 381, 382];
/** The fold above each of those points of the upper lid, which follows it halfway. */
const LID_FOLD = [247, 30, 29, 27, 28, 56, 190, 467, 260, 259, 257, 258, 286, 414];
const FOLD_SHARE = 0.45;
/** Where the lids meet: at the lower one. */
const MEET_SHARE = 1;

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

/** Moves the upper lids of `landmarks` down by `closed`, 0 to 1, in place. */
export function closeLids(landmarks: Float32Array, closed: number): void {
  for (const [n, upper] of UPPER_LID.entries()) {
    const lower = (LOWER_LID[n] ?? upper) * 3;
    const fold = (LID_FOLD[n] ?? upper) * 3;
    for (let axis = 0; axis < 3; axis++) {
      const lid = landmarks[upper * 3 + axis] ?? 0;
      const way = closed * MEET_SHARE * ((landmarks[lower + axis] ?? 0) - lid);
      landmarks[upper * 3 + axis] = lid + way;
      landmarks[fold + axis] = (landmarks[fold + axis] ?? 0) + FOLD_SHARE * way;
    }
  }
}

function lidOpening(landmarks: Float32Array): number {
  let sum = 0;
  for (const [n, upper] of UPPER_LID.entries()) sum += distance(landmarks, upper, LOWER_LID[n] ?? upper);
  return sum / (distance(landmarks, 33, 133) + distance(landmarks, 263, 362));
}

function distance(points: Float32Array, a: number, b: number): number {
  return Math.hypot(
    (points[a * 3] ?? 0) - (points[b * 3] ?? 0),
    (points[a * 3 + 1] ?? 0) - (points[b * 3 + 1] ?? 0),
    (points[a * 3 + 2] ?? 0) - (points[b * 3 + 2] ?? 0),
  );
}
