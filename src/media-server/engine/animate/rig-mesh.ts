import { FACE_OVAL, LANDMARK_COUNT, LEFT_EYE, RIGHT_EYE, TRIANGLES } from '../face/mesh-topology.ts';
import { type HeadAxes, headAxes, ovalCentre, pointOf } from './head-axes.ts';
import { EYEBALLS } from './lids.ts';
import { LOWER_EDGE, UPPER_EDGE } from './lip-rows.ts';
import { smoothStep } from '../smooth-step.ts';

/** Distances of the rings from the outline of the face, in eye distances. */
const RINGS: readonly number[] = [0.1, 0.22, 0.38, 0.58, 0.82, 1.1, 1.45, 1.85, 2.3, 2.8];
const AROUND: number = FACE_OVAL.length;

/** The index of the first eyeball point in the mesh, and that of the first ring point. */
export const FIRST_EYEBALL: number = LANDMARK_COUNT;
export const FIRST_RING: number = LANDMARK_COUNT + EYEBALLS.length;

/** How a point around the face moves. */
interface RingPoint {
  /** The nearest point of the outline. */
  readonly oval: number;
  /** The point's share of the head's shift, roll and scale. */
  readonly head: number;
  /** The point's share of all other movement, such as turning, of the nearest outline point. */
  readonly skin: number;
  /** The point's share of the shoulders' shift. */
  readonly torso: number;
  /**
   * How freely the point moves across and down: the edge of the picture is fixed, but shoulders may slide along the
   * bottom edge.
   */
  readonly freeAcross: number;
  readonly freeDown: number;
}

/** A portrait as a mesh: the landmarks, the eyeballs under the lids, and rings around the face. */
export interface RigMesh {
  /** The coordinates x, y, z of every point in the portrait. */
  readonly points: Float32Array;
  /** The corners of the triangles, which all rigs share and none modifies. */
  readonly triangles: Uint16Array;
  /** The points of the rings. The first of them is point `FIRST_RING` of the mesh. */
  readonly rings: readonly RingPoint[];
  readonly axes: HeadAxes;
}

/** Builds the mesh for a face in a picture of this size. */
export function rigMesh(landmarks: Float32Array, size: { width: number; height: number }): RigMesh {
  const axes = headAxes(landmarks);
  const rings: RingPoint[] = [];
  const outside: number[] = [];
  const centre = ovalCentre(landmarks);
  for (const distance of RINGS) {
    for (const oval of FACE_OVAL) {
      const [x, y, z] = pointOf(landmarks, oval);
      const length = Math.max(1e-6, Math.hypot(x - centre[0], y - centre[1]));
      const [dx, dy] = [(x - centre[0]) / length, (y - centre[1]) / length];
      const way = Math.min(distance * axes.unit, wayToEdge(x, dx, size.width), wayToEdge(y, dy, size.height));
      const px = x + dx * way;
      const py = y + dy * way;
      const depth = smoothStep(0, 0.6, distance);
      // The rings lie behind the whole face, and each ring lies behind the one inside it.
      outside.push(px, py, z + depth * (axes.pivot[2] - z) + (0.5 + distance) * axes.unit);
      const below = smoothStep(0.1, 0.75, dx * axes.down[0] + dy * axes.down[1]);
      rings.push(ringPoint(oval, distance, below, { px, py, unit: axes.unit, ...size }));
    }
  }
  const points = new Float32Array((FIRST_RING + rings.length) * 3);
  points.set(landmarks);
  for (const [n, point] of EYEBALLS.entries()) points.set(pointOf(landmarks, point), (FIRST_EYEBALL + n) * 3);
  points.set(outside, FIRST_RING * 3);
  return { points, triangles: RIG_TRIANGLES, rings, axes };
}

/** Returns the distance to the edge of the picture along a direction, or 0 if `from` is beyond that edge. */
function wayToEdge(from: number, step: number, size: number): number {
  if (step === 0) return Infinity;
  return Math.max(0, (step > 0 ? size - from : -from) / step);
}

function ringPoint(
  oval: number,
  distance: number,
  below: number,
  at: { px: number; py: number; unit: number; width: number; height: number },
): RingPoint {
  const aside = 1 - smoothStep(0.7, 2.6, distance);
  const neck = 1 - smoothStep(0, 1.7, distance);
  const margin = 0.6 * at.unit;
  const sides = Math.min(at.px, at.width - at.px);
  return {
    oval,
    head: aside + below * (neck - aside),
    skin: 1 - smoothStep(0, 0.55 + 0.5 * (1 - below), distance),
    torso: below * smoothStep(0.3, 1.2, distance) * (1 - smoothStep(1.9, 2.8, distance)),
    freeAcross: smoothStep(0, margin, Math.min(sides, at.py)),
    freeDown: smoothStep(0, margin, Math.min(sides, at.py, at.height - at.py)),
  };
}

/**
 * Returns the triangles of the face. Those inside the eyes use the points of the eyeballs, so that the lids slide over
 * the eyeballs.
 */
function faceTriangles(): number[] {
  const triangles: number[] = [];
  for (let n = 0; n < TRIANGLES.length; n += 3) {
    const corners = [...TRIANGLES.subarray(n, n + 3)];
    const inEye = [LEFT_EYE, RIGHT_EYE].some((eye) => corners.every((corner) => eye.includes(corner)));
    triangles.push(...(inEye ? corners.map((corner) => FIRST_EYEBALL + EYEBALLS.indexOf(corner)) : corners));
  }
  return triangles;
}

/** Returns triangles that fill the mouth opening with the picture's own pixels from between the lips. */
function mouthTriangles(): number[] {
  const triangles: number[] = [];
  for (let n = 0; n + 1 < UPPER_EDGE.length; n++) {
    const [a = 0, b = 0] = [UPPER_EDGE[n], UPPER_EDGE[n + 1]];
    const [c = 0, d = 0] = [LOWER_EDGE[n], LOWER_EDGE[n + 1]];
    if (a !== c) triangles.push(a, c, b);
    if (b !== d) triangles.push(b, c, d);
  }
  return triangles;
}

function ringTriangles(): number[] {
  const triangles: number[] = [];
  const inner = (ring: number, n: number): number =>
    ring === 0 ? (FACE_OVAL[n % AROUND] ?? 0) : FIRST_RING + (ring - 1) * AROUND + (n % AROUND);
  for (let ring = 0; ring < RINGS.length; ring++) {
    for (let n = 0; n < AROUND; n++) {
      const [a, b] = [inner(ring, n), inner(ring, n + 1)];
      const [c, d] = [inner(ring + 1, n), inner(ring + 1, n + 1)];
      triangles.push(a, c, b, b, c, d);
    }
  }
  return triangles;
}

const RIG_TRIANGLES: Uint16Array = Uint16Array.from([
  ...faceTriangles(),
  ...mouthTriangles(),
  ...ringTriangles(),
]);
