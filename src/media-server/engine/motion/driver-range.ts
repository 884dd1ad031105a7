import { dot, headAxes, minus, pointOf } from '../animate/head-axes.ts';
import { lidOpening } from '../animate/lids.ts';
import { rollOf } from '../face/face.ts';

/** Openings of one eye's lids as `lidOpening` measures them. */
interface LidRange {
  readonly open: number;
  readonly shut: number;
}

/** What a driver's face does at rest, and how far its lids go. */
export interface DriverRange {
  /** Landmarks of the most neutral picture: straight, mouth closed, eyes open. */
  readonly neutral: Float32Array;
  readonly left: LidRange;
  readonly right: LidRange;
}

/** Where a driver does not blink while being measured: lids that are read shut, as a share of their opening. */
const SHUT_SHARE = 0.5;
const SHUT_SHARE_MIN = 0.25;

/** Learns a driver's range from the pictures of a clip. */
export class DriverRangeFinder {
  #neutral: { readonly landmarks: Float32Array; readonly strain: number } | undefined;
  readonly #left: number[] = [];
  readonly #right: number[] = [];

  /** How many pictures were added. */
  get count(): number {
    return this.#left.length;
  }

  /** Takes the landmarks of one picture; keeps them. */
  add(landmarks: Float32Array): void {
    const [left, right] = [lidOpening(landmarks, 'left'), lidOpening(landmarks, 'right')];
    this.#left.push(left);
    this.#right.push(right);
    const strain = strainOf(landmarks) - 1.5 * Math.min(0.35, (left + right) / 2);
    if (!this.#neutral || strain < this.#neutral.strain) this.#neutral = { landmarks, strain };
  }

  /** The range so far, or undefined without any picture. */
  range(): DriverRange | undefined {
    if (!this.#neutral) return undefined;
    const { landmarks } = this.#neutral;
    return { neutral: landmarks, left: lidRange(this.#left), right: lidRange(this.#right) };
  }
}

/** How far a face is from looking straight ahead with closed lips. */
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
