import { type Eyelids, LEFT_LIDS, RIGHT_LIDS } from '../face/eyelids.ts';
import { landmarkDistance } from '../face/face.ts';
import { LEFT_EYE, RIGHT_EYE } from '../face/mesh-topology.ts';
import { minus, plus, pointOf, times } from './head-axes.ts';

/** An eye's lids and the skin around it. Points with the same index in `above`, `under` and the lids match. */
interface Surroundings extends Eyelids {
  readonly above: readonly number[];
  readonly under: readonly number[];
}

const LEFT: Surroundings = {
  ...LEFT_LIDS,
  above: [113, 225, 224, 223, 222, 221, 189],
  under: [25, 110, 24, 23, 22, 26, 112],
};
const RIGHT: Surroundings = {
  ...RIGHT_LIDS,
  above: [342, 445, 444, 443, 442, 441, 413],
  under: [255, 339, 254, 253, 252, 256, 341],
};

/** The edges of both eyes. The area inside them is the eyeball. */
export const EYEBALLS: readonly number[] = [...LEFT_EYE, ...RIGHT_EYE];

const UPPER_WAY = 1.06;
const LOWER_WAY = 0.08;
const CREASE_WAY = 0.5;
const ABOVE_WAY = 0.12;
const UNDER_WAY = 0.05;

/**
 * Moves the lids in `points` (x, y, z of each landmark). A blink of 0 leaves them as in `rest`, 1 closes them, and a
 * negative value opens them wider. Left is the viewer's left.
 */
export function closeLids(
  points: Float32Array,
  rest: Float32Array,
  blinkLeft: number,
  blinkRight: number,
): void {
  closeLid(points, rest, LEFT, blinkLeft);
  closeLid(points, rest, RIGHT, blinkRight);
}

/** Returns the distance between an eye's lids as a share of the eye's width. The side is the viewer's. */
export function lidOpening(landmarks: Float32Array, side: 'left' | 'right'): number {
  const { upper, lower, corners } = side === 'left' ? LEFT_LIDS : RIGHT_LIDS;
  let apart = 0;
  for (const n of [2, 3, 4]) apart += landmarkDistance(landmarks, upper[n] ?? 0, lower[n] ?? 0);
  return apart / 3 / Math.max(landmarkDistance(landmarks, ...corners), 1e-6);
}

function closeLid(points: Float32Array, rest: Float32Array, lid: Surroundings, blink: number): void {
  if (blink === 0) return;
  const share = blink > 0 ? blink : 0.5 * blink;
  for (const [n, upper] of lid.upper.entries()) {
    const lower = lid.lower[n] ?? upper;
    const way = times(minus(pointOf(rest, lower), pointOf(rest, upper)), share);
    move(points, upper, way, UPPER_WAY);
    move(points, lid.crease[n], way, CREASE_WAY);
    move(points, lid.above[n], way, ABOVE_WAY);
    move(points, lower, way, -LOWER_WAY);
    move(points, lid.under[n], way, -UNDER_WAY);
  }
}

function move(
  points: Float32Array,
  point: number | undefined,
  way: readonly [number, number, number],
  share: number,
): void {
  if (point === undefined) return;
  const moved = plus(pointOf(points, point), times(way, share));
  points.set(moved, point * 3);
}
