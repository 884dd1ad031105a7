import { dot, headAxes, minus, pointOf } from '../animate/head-axes.ts';
import { lidOpening } from '../animate/lids.ts';
import { rollOf } from '../face/face.ts';

/** How far one eye opens and closes, as `lidOpening` measures it. */
interface LidRange {
  readonly open: number;
  readonly shut: number;
}

/**
 * A driver's face at rest, and the range of its lids. The driver is the person whose motion is transferred.
 */
export interface DriverRange {
  /** The landmarks of the most neutral frame: looking straight ahead, mouth closed, eyes open. */
  readonly neutral: Float32Array;
  readonly left: LidRange;
  readonly right: LidRange;
}

/** If a driver does not blink in the measured frames, an eye counts as closed at this share of its usual opening. */
const SHUT_SHARE = 0.5;
const SHUT_SHARE_MIN = 0.25;

/** Measures a driver's range from the frames of a clip. */
export class DriverRangeFinder {
  #neutral: { readonly landmarks: Float32Array; readonly strain: number } | undefined;
  readonly #left: number[] = [];
  readonly #right: number[] = [];

  /** The number of frames that have been added. */
  get count(): number {
    return this.#left.length;
  }

  /** Adds the landmarks of one frame. The array is kept, not copied. */
  add(landmarks: Float32Array): void {
    const [left, right] = [lidOpening(landmarks, 'left'), lidOpening(landmarks, 'right')];
    this.#left.push(left);
    this.#right.push(right);
    const strain = strainOf(landmarks) - 1.5 * Math.min(0.35, (left + right) / 2);
    if (!this.#neutral || strain < this.#neutral.strain) this.#neutral = { landmarks, strain };
  }

  /** Returns the range so far, or `undefined` if no frame has been added. */
  range(): DriverRange | undefined {
    if (!this.#neutral) return undefined;
    const { landmarks } = this.#neutral;
    return { neutral: landmarks, left: lidRange(this.#left), right: lidRange(this.#right) };
  }
}

/** Returns how far a face is from looking straight ahead with closed lips. */
function strainOf(landmarks: Float32Array): number {
  const { right, down, unit } = headAxes(landmarks);
  const gap = dot(minus(pointOf(landmarks, 14), pointOf(landmarks, 13)), down) / unit;
  return (
    1.2 * Math.abs(right[2]) +
    0.6 * Math.abs(down[2]) +
    0.8 * Math.abs(rollOf(landmarks)) +
    5 * Math.max(0, gap)
  );
}

function lidRange(openings: readonly number[]): LidRange {
  const sorted = [...openings].sort((a, b) => a - b);
  const open = sorted[Math.floor(0.6 * (sorted.length - 1))] ?? 0.3;
  const least = sorted[0] ?? 0;
  return { open, shut: Math.max(SHUT_SHARE_MIN * open, Math.min(least, SHUT_SHARE * open)) };
}
