import { LEFT_EYE, RIGHT_EYE } from '../face/mesh-topology.ts';
import { minus, plus, pointOf, times } from './head-axes.ts';

/** Points of one upper lid from the outer corner to the inner: its edge, its crease, and the skin above. */
interface Lid {
  readonly edge: readonly number[];
  readonly crease: readonly number[];
  readonly above: readonly number[];
  /** The lower lid's edge, and the skin under it, point by point below the upper edge. */
  readonly lower: readonly number[];
  readonly under: readonly number[];
}

const LEFT_LID: Lid = {
  edge: [246, 161, 160, 159, 158, 157, 173],
  crease: [247, 30, 29, 27, 28, 56, 190],
  above: [113, 225, 224, 223, 222, 221, 189],
  lower: [7, 163, 144, 145, 153, 154, 155],
  under: [25, 110, 24, 23, 22, 26, 112],
};
const RIGHT_LID: Lid = {
  edge: [466, 388, 387, 386, 385, 384, 398],
  crease: [467, 260, 259, 257, 258, 286, 414],
  above: [342, 445, 444, 443, 442, 441, 413],
  lower: [249, 390, 373, 374, 380, 381, 382],
  under: [255, 339, 254, 253, 252, 256, 341],
};

/** The edges of both eyes: what is inside of them is eyeball. */
export const EYEBALLS: readonly number[] = [...LEFT_EYE, ...RIGHT_EYE];

const UPPER_WAY = 1.06;
const LOWER_WAY = 0.08;
const CREASE_WAY = 0.5;
const ABOVE_WAY = 0.12;
const UNDER_WAY = 0.05;

/**
 * Closes the lids in `points`, x, y, z per landmark: 0 as they are in `rest`, 1 shut, below 0 wider. Left is the
 * viewer's.
 */
export function closeLids(
  points: Float32Array,
  rest: Float32Array,
  blinkLeft: number,
  blinkRight: number,
): void {
  closeLid(points, rest, LEFT_LID, blinkLeft);
  closeLid(points, rest, RIGHT_LID, blinkRight);
}

/** How far the lids of an eye are apart, as a share of its width; side as the viewer sees it. */
export function lidOpening(landmarks: Float32Array, side: 'left' | 'right'): number {
  const { edge, lower } = side === 'left' ? LEFT_LID : RIGHT_LID;
  const [outer, inner] = side === 'left' ? [33, 133] : [263, 362];
  const width = Math.hypot(...minus(pointOf(landmarks, outer), pointOf(landmarks, inner)));
  let apart = 0;
  for (const n of [2, 3, 4]) {
    const gap = minus(pointOf(landmarks, edge[n] ?? 0), pointOf(landmarks, lower[n] ?? 0));
    apart += Math.hypot(...gap);
  }
  return apart / 3 / Math.max(width, 1e-6);
}

function closeLid(points: Float32Array, rest: Float32Array, lid: Lid, blink: number): void {
  if (blink === 0) return;
  const share = blink > 0 ? blink : 0.5 * blink;
  for (const [n, upper] of lid.edge.entries()) {
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
