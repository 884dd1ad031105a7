import { INNER_LIPS } from '../face/mesh-topology.ts';

/** Triangles over the opening between the lips, which the mesh does not cover. */
export const MOUTH_TRIANGLES: readonly number[] = mouthTriangles();

function mouthTriangles(): number[] {
  const last = INNER_LIPS.length - 1;
  const corners: number[] = [];
  for (let n = 0; n < last / 2; n++) {
    const [a = 0, b = 0] = [INNER_LIPS[n], INNER_LIPS[n + 1]];
    const [c = 0, d = 0] = [INNER_LIPS[(last + 1 - n) % (last + 1)], INNER_LIPS[last - n]];
    corners.push(a, b, d, a, d, c);
  }
  return corners;
}
