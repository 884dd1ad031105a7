/** A face in a picture. All lengths are in pixels of that picture. */
export interface Face {
  /** A tight box around the landmarks, which may extend beyond the picture. */
  readonly box: FaceBox;
  /** 468 points: x, y and z, where z has the same unit and is smaller towards the camera. They must not be modified. */
  readonly landmarks: Float32Array;
  /** The detector's confidence, 0 to 1. */
  readonly score: number;
  /**
   * Rotation of the head about the vertical axis, positive towards the viewer's right; reliable up to 45
   * degrees.
   */
  readonly yawDegrees: number;
}

export interface FaceBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const LEFT_CHEEK = 234;
const RIGHT_CHEEK = 454;
const LEFT_EYE_OUTER = 33;
const RIGHT_EYE_OUTER = 263;

/** Creates a face from its landmarks. Keeps the array. */
export function faceFromLandmarks(landmarks: Float32Array, score: number): Face {
  const across = difference(landmarks, RIGHT_CHEEK, LEFT_CHEEK);
  return {
    box: landmarkBox(landmarks),
    landmarks,
    score,
    yawDegrees: (Math.atan2(across.z, Math.hypot(across.x, across.y)) * 180) / Math.PI,
  };
}

/** Returns the tight box around all points. */
export function landmarkBox(landmarks: Float32Array): FaceBox {
  let left = Infinity;
  let top = Infinity;
  let right = -Infinity;
  let bottom = -Infinity;
  for (let at = 0; at < landmarks.length; at += 3) {
    const x = landmarks[at] ?? 0;
    const y = landmarks[at + 1] ?? 0;
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Returns the clockwise rotation of the eye line in radians. */
export function rollOf(landmarks: Float32Array): number {
  const eyes = difference(landmarks, RIGHT_EYE_OUTER, LEFT_EYE_OUTER);
  return Math.atan2(eyes.y, eyes.x);
}

/**
 * Returns the 3D distance between the centres of the eyes, which is independent of the rotation of the head.
 */
export function eyeDistanceOf(landmarks: Float32Array): number {
  return 0.69 * landmarkDistance(landmarks, RIGHT_EYE_OUTER, LEFT_EYE_OUTER);
}

/** Returns the 3D distance between two landmarks. */
export function landmarkDistance(landmarks: Float32Array, one: number, other: number): number {
  const { x, y, z } = difference(landmarks, one, other);
  return Math.hypot(x, y, z);
}

/** Returns the face with the largest box, or `undefined` if there is none. */
export function largestFace(faces: readonly Face[]): Face | undefined {
  let largest: Face | undefined;
  for (const face of faces) if (!largest || area(face) > area(largest)) largest = face;
  return largest;
}

/** Returns the intersection over union of two boxes, 0 to 1. */
export function overlap(a: FaceBox, b: FaceBox): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / (a.width * a.height + b.width * b.height - width * height);
}

function area(face: Face): number {
  return face.box.width * face.box.height;
}

function difference(points: Float32Array, to: number, from: number): { x: number; y: number; z: number } {
  return {
    x: (points[to * 3] ?? 0) - (points[from * 3] ?? 0),
    y: (points[to * 3 + 1] ?? 0) - (points[from * 3 + 1] ?? 0),
    z: (points[to * 3 + 2] ?? 0) - (points[from * 3 + 2] ?? 0),
  };
}
