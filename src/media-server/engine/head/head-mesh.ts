import { FACE_OVAL, LANDMARK_COUNT, TRIANGLES } from '../face/mesh-topology.ts';
import { eyeDistanceOf } from '../face/face.ts';

/**
 * The distance of each ring from the outline of the face, in eye distances, and how much of the face's rotation it
 * follows, 0 to 1.
 */
const RINGS = [
  { out: 0.22, follow: 0.75 },
  { out: 0.5, follow: 0.42 },
  { out: 0.9, follow: 0.15 },
  { out: 1.6, follow: 0 },
  { out: 3, follow: 0 },
  { out: 5.5, follow: 0 },
] as const;

/** The number of points of a head: the 468 of the face, then the rings around it from the inside out. */
export const HEAD_POINT_COUNT: number = LANDMARK_COUNT + RINGS.length * FACE_OVAL.length;

/** The triangles of the face and of the rings. */
export const HEAD_TRIANGLES: Uint16Array = Uint16Array.from([...TRIANGLES, ...ringTriangles()]);

/** Returns how much of the face's rotation a ring point follows, 0 to 1; it is 1 for the face's own points. */
export function followOf(point: number): number {
  return RINGS[ringOf(point)]?.follow ?? 1;
}

/** Returns the outline point of the face that lies in the same direction as a ring point. */
export function outlineOf(point: number): number {
  return FACE_OVAL[(point - LANDMARK_COUNT) % FACE_OVAL.length] ?? 0;
}

/**
 * Returns the points of the face and of the rings. Each ring point lies outside the outline; its distance behind its
 * outline point equals its sideways distance from that point.
 */
export function withRings(landmarks: Float32Array): Float32Array {
  const points = new Float32Array(HEAD_POINT_COUNT * 3);
  points.set(landmarks);
  const unit = eyeDistanceOf(landmarks);
  const [middleX, middleY] = outlineMiddle(landmarks);
  for (let point = LANDMARK_COUNT; point < HEAD_POINT_COUNT; point++) {
    const base = outlineOf(point) * 3;
    const [x, y, z] = [landmarks[base] ?? 0, landmarks[base + 1] ?? 0, landmarks[base + 2] ?? 0];
    const length = Math.max(Math.hypot(x - middleX, y - middleY), 1e-6);
    const out = (RINGS[ringOf(point)]?.out ?? 0) * unit;
    points[point * 3] = x + ((x - middleX) / length) * out;
    points[point * 3 + 1] = y + ((y - middleY) / length) * out;
    points[point * 3 + 2] = z + out;
  }
  return points;
}

function ringOf(point: number): number {
  return point < LANDMARK_COUNT ? -1 : Math.floor((point - LANDMARK_COUNT) / FACE_OVAL.length);
}

function outlineMiddle(landmarks: Float32Array): [number, number] {
  let [x, y] = [0, 0];
  for (const point of FACE_OVAL) {
    x += (landmarks[point * 3] ?? 0) / FACE_OVAL.length;
    y += (landmarks[point * 3 + 1] ?? 0) / FACE_OVAL.length;
  }
  return [x, y];
}

function ringTriangles(): number[] {
  const around = FACE_OVAL.length;
  const corners: number[] = [];
  const index = (ring: number, n: number): number =>
    ring < 0 ? (FACE_OVAL[n % around] ?? 0) : LANDMARK_COUNT + ring * around + (n % around);
  for (let ring = 0; ring < RINGS.length; ring++) {
    for (let n = 0; n < around; n++) {
      const [a, b] = [index(ring - 1, n), index(ring - 1, n + 1)];
      const [c, d] = [index(ring, n), index(ring, n + 1)];
      corners.push(a, b, c, b, d, c);
    }
  }
  return corners;
}
