import { EYELIDS, type Eyelids } from '../face/eyelids.ts';
import { smoothStep } from '../smooth-step.ts';

/**
 * The ratio of an eye's opening in the mesh to its usual opening, at which the eye starts to close, and at which it is
 * closed. Measured in two clips.
 */
const CLOSING = 0.86;
const CLOSED = 0.64;
const CREASE_SHARE = 0.45;
const SLIT = 0.06;

/**
 * Closes the lids of a drawn head, in place, as far as the person's lids are closed. The mesh alone shows only half of
 * a blink. `current` is read from one picture, without smoothing, and `neutral` is the same person's face at rest.
 */
export function closeLids(shape: Float32Array, current: Float32Array, neutral: Float32Array): void {
  for (const eye of EYELIDS) {
    const ratio = opening(current, eye) / Math.max(opening(neutral, eye), 1e-6);
    const closed = 1 - smoothStep(CLOSED, CLOSING, ratio);
    if (closed === 0) continue;
    for (const [n, upper] of eye.upper.entries()) {
      const [lower = upper, crease = upper] = [eye.lower[n], eye.crease[n]];
      for (let axis = 0; axis < 2; axis++) {
        const from = shape[upper * 3 + axis] ?? 0;
        const step = closed * (1 - SLIT) * ((shape[lower * 3 + axis] ?? 0) - from);
        shape[upper * 3 + axis] = from + step;
        shape[crease * 3 + axis] = (shape[crease * 3 + axis] ?? 0) + CREASE_SHARE * step;
      }
    }
  }
}

/** Returns the mean height of the opening divided by the eye's width. */
function opening(points: Float32Array, { corners, upper, lower }: Eyelids): number {
  let sum = 0;
  for (const [n, point] of upper.entries()) sum += distance(points, point, lower[n] ?? point);
  return sum / upper.length / Math.max(distance(points, corners[0], corners[1]), 1e-6);
}

function distance(points: Float32Array, a: number, b: number): number {
  const x = (points[a * 3] ?? 0) - (points[b * 3] ?? 0);
  const y = (points[a * 3 + 1] ?? 0) - (points[b * 3 + 1] ?? 0);
  return Math.hypot(x, y);
}
