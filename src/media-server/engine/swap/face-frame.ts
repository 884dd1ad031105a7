import { eyeDistanceOf } from '../face/face.ts';

/** The upright coordinate system of a face, in pixels, with its origin between the eyes. */
export interface FaceFrame {
  /** Distance between the eyes, independent of how the head is turned. */
  readonly unit: number;
  /** Returns the height above the eye line. */
  up(x: number, y: number): number;
  /** Returns the distance towards the viewer's right, without the foreshortening of a turned head. */
  across(x: number, y: number): number;
}

const LEFT_EYE_OUTER = 33 * 3;
const RIGHT_EYE_OUTER = 263 * 3;

/** Returns the coordinate system of the face with these landmarks. */
export function faceFrame(landmarks: Float32Array): FaceFrame {
  const lx = landmarks[LEFT_EYE_OUTER] ?? 0;
  const ly = landmarks[LEFT_EYE_OUTER + 1] ?? 0;
  const rx = landmarks[RIGHT_EYE_OUTER] ?? 0;
  const ry = landmarks[RIGHT_EYE_OUTER + 1] ?? 0;
  const width = Math.max(Math.hypot(rx - lx, ry - ly), 1e-6);
  const [cos, sin] = [(rx - lx) / width, (ry - ly) / width];
  const [mx, my] = [(lx + rx) / 2, (ly + ry) / 2];
  const unit = eyeDistanceOf(landmarks);
  const stretch = unit / (0.69 * width);
  return {
    unit,
    up: (x, y) => (x - mx) * sin - (y - my) * cos,
    across: (x, y) => ((x - mx) * cos + (y - my) * sin) * stretch,
  };
}
