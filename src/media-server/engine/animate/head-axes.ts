import { FACE_OVAL } from '../face/mesh-topology.ts';
import { eyeDistanceOf } from '../face/face.ts';

export type Vector = readonly [number, number, number];

/** The orientation of a head in its picture: three unit vectors in picture pixels, z away from the camera. */
export interface HeadAxes {
  /** The direction to the viewer's right, along the line of the eyes. */
  readonly right: Vector;
  /** The direction from the forehead to the chin. */
  readonly down: Vector;
  /** The direction from the nose to the back of the head. */
  readonly back: Vector;
  /** The distance between the eyes in pixels, independent of how the head is turned. */
  readonly unit: number;
  /** The point around which the head turns on its neck: between the ears and a little below them. */
  readonly pivot: Vector;
}

/** Returns the axes of the head with these landmarks. The mouth may be open. */
export function headAxes(landmarks: Float32Array): HeadAxes {
  const unit = eyeDistanceOf(landmarks);
  const eyes = minus(pointOf(landmarks, 263), pointOf(landmarks, 33));
  const cheeks = minus(pointOf(landmarks, 454), pointOf(landmarks, 234));
  const right = normalised(plus(eyes, cheeks));
  const long = minus(pointOf(landmarks, 152), pointOf(landmarks, 10));
  const down = normalised(minus(long, times(right, dot(long, right))));
  const back = cross(right, down);
  const ears = times(plus(pointOf(landmarks, 234), pointOf(landmarks, 454)), 0.5);
  const pivot = plus(ears, plus(times(down, 0.45 * unit), times(back, 0.2 * unit)));
  return { right, down, back, unit, pivot };
}

/** Returns the middle of the outline of a face, in picture pixels. */
export function ovalCentre(landmarks: Float32Array): Vector {
  let sum: Vector = [0, 0, 0];
  for (const point of FACE_OVAL) sum = plus(sum, pointOf(landmarks, point));
  return times(sum, 1 / FACE_OVAL.length);
}

export function pointOf(landmarks: Float32Array, point: number): Vector {
  return [landmarks[point * 3] ?? 0, landmarks[point * 3 + 1] ?? 0, landmarks[point * 3 + 2] ?? 0];
}

export function plus(a: Vector, b: Vector): Vector {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

export function minus(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function times(a: Vector, factor: number): Vector {
  return [a[0] * factor, a[1] * factor, a[2] * factor];
}

export function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function normalised(a: Vector): Vector {
  return times(a, 1 / Math.max(Math.hypot(...a), 1e-9));
}
