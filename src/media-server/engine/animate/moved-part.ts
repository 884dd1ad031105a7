import type { Rect } from '../pixels.ts';
import type { RigMesh } from './rig-mesh.ts';

/** Smaller movements, in pixels, are not redrawn. */
const STILL_PX = 0.02;

/**
 * Returns the triangles of `mesh` that have a moving corner, and the area of a frame of this size that they cover
 * before and after the movement.
 */
export function movedPart(
  { points, triangles }: RigMesh,
  moved: Float32Array,
  frame: { readonly width: number; readonly height: number },
): { readonly triangles: Uint16Array; readonly area: Rect } {
  const moves = movingPoints(points, moved);
  const kept = new Uint16Array(triangles.length);
  let count = 0;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let n = 0; n < triangles.length; n += 3) {
    const corners = [triangles[n] ?? 0, triangles[n + 1] ?? 0, triangles[n + 2] ?? 0];
    if (!corners.some((corner) => moves[corner] === 1)) continue;
    for (const corner of corners) {
      kept[count++] = corner;
      const [x = 0, y = 0] = [points[corner * 3], points[corner * 3 + 1]];
      const [toX = 0, toY = 0] = [moved[corner * 3], moved[corner * 3 + 1]];
      left = Math.min(left, x, toX);
      right = Math.max(right, x, toX);
      top = Math.min(top, y, toY);
      bottom = Math.max(bottom, y, toY);
    }
  }
  const x = Math.max(0, Math.floor(left) - 1);
  const y = Math.max(0, Math.floor(top) - 1);
  const width = Math.max(0, Math.min(frame.width, Math.ceil(right) + 2) - x);
  const height = Math.max(0, Math.min(frame.height, Math.ceil(bottom) + 2) - y);
  return { triangles: kept.subarray(0, count), area: { x, y, width, height } };
}

function movingPoints(points: Float32Array, moved: Float32Array): Uint8Array {
  const moves = new Uint8Array(points.length / 3);
  for (let point = 0; point < moves.length; point++) {
    const dx = Math.abs((moved[point * 3] ?? 0) - (points[point * 3] ?? 0));
    const dy = Math.abs((moved[point * 3 + 1] ?? 0) - (points[point * 3 + 1] ?? 0));
    if (dx > STILL_PX || dy > STILL_PX) moves[point] = 1;
  }
  return moves;
}
