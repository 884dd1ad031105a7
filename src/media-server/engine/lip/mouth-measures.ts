import { eyeDistanceOf } from '../face/face.ts';
import type { Rect } from '../pixels.ts';

/** The points in the middle of the inner edges of the upper and the lower lip. */
const [UPPER, LOWER] = [13, 14] as const;
const [LEFT_CORNER, RIGHT_CORNER] = [78, 308] as const;
/** How far from its middle a mouth moves the skin, in eye distances. */
const REACH = 1.5;

/** Returns the distance between the inner edges of the lips at the middle of the mouth, in eye distances. */
export function lipGap(landmarks: Float32Array): number {
  const x = (landmarks[LOWER * 3] ?? 0) - (landmarks[UPPER * 3] ?? 0);
  const y = (landmarks[LOWER * 3 + 1] ?? 0) - (landmarks[UPPER * 3 + 1] ?? 0);
  return Math.hypot(x, y) / Math.max(1e-6, eyeDistanceOf(landmarks));
}

/** Returns the area of the picture that a mouth movement can change. */
export function aroundMouth(picture: { width: number; height: number }, landmarks: Float32Array): Rect {
  const reach = REACH * eyeDistanceOf(landmarks);
  const middle = (axis: number): number =>
    ((landmarks[LEFT_CORNER * 3 + axis] ?? 0) + (landmarks[RIGHT_CORNER * 3 + axis] ?? 0)) / 2;
  const x = Math.max(0, Math.floor(middle(0) - reach));
  const y = Math.max(0, Math.floor(middle(1) - reach));
  const width = Math.max(0, Math.min(picture.width, Math.ceil(middle(0) + reach)) - x);
  const height = Math.max(0, Math.min(picture.height, Math.ceil(middle(1) + reach)) - y);
  return { x, y, width, height };
}
