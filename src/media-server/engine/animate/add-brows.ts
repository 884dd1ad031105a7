import { LEFT_BROW, RIGHT_BROW } from '../face/mesh-topology.ts';
import type { HeadAxes } from './head-axes.ts';

/** The largest rise of a brow, in eye distances. */
const RISE = 0.07;
/**
 * The skin of the forehead and lids that moves with the brow: points in the left half of the face, with their shares of
 * the movement.
 */
const LEFT_SKIN: readonly (readonly [point: number, share: number])[] = [
  [71, 0.45],
  [68, 0.55],
  [104, 0.6],
  [69, 0.6],
  [108, 0.5],
  [54, 0.15],
  [103, 0.25],
  [67, 0.25],
  [109, 0.2],
  [156, 0.5],
  [139, 0.2],
  [124, 0.55],
  [225, 0.5],
  [224, 0.5],
  [223, 0.5],
  [222, 0.5],
  [221, 0.45],
  [113, 0.35],
  [189, 0.25],
];
const RIGHT_SKIN: readonly (readonly [point: number, share: number])[] = [
  [301, 0.45],
  [298, 0.55],
  [333, 0.6],
  [299, 0.6],
  [337, 0.5],
  [284, 0.15],
  [332, 0.25],
  [297, 0.25],
  [338, 0.2],
  [383, 0.5],
  [368, 0.2],
  [353, 0.55],
  [445, 0.5],
  [444, 0.5],
  [443, 0.5],
  [442, 0.5],
  [441, 0.45],
  [342, 0.35],
  [413, 0.25],
];

/**
 * Raises each brow in `points` (x, y, z of each landmark) by an amount from -1 (lowered) to 1 (fully raised). Left is
 * the viewer's left.
 */
export function addBrows(points: Float32Array, axes: HeadAxes, left: number, right: number): void {
  if (left !== 0) raise(points, axes, LEFT_BROW, LEFT_SKIN, left);
  if (right !== 0) raise(points, axes, RIGHT_BROW, RIGHT_SKIN, right);
}

function raise(
  points: Float32Array,
  { down, unit }: HeadAxes,
  brow: readonly number[],
  skin: typeof LEFT_SKIN,
  amount: number,
): void {
  const step = -RISE * unit * amount;
  const move = (point: number, share: number): void => {
    for (let axis = 0; axis < 3; axis++) {
      const at = point * 3 + axis;
      points[at] = (points[at] ?? 0) + step * share * (down[axis] ?? 0);
    }
  };
  for (const point of brow) move(point, 1);
  for (const [point, share] of skin) move(point, share);
}
