import { mouthOpening } from '../swap/target-shape.ts';
import { applyPose } from '../swap/similarity-fit.ts';
import { rigidPoints, skullPose } from './head-pose.ts';

/** A person's face at rest, and its points that determine the pose. */
export interface NeutralFace {
  readonly landmarks: Float32Array;
  readonly rigid: readonly number[];
}

/** The share of the readings that is averaged: those in which the mouth is closed most and the eyes are open most. */
const REST_SHARE = 0.25;

/**
 * Computes the face at rest from at least one reading of a clip: the mean of the calmest readings, aligned
 * with each other.
 */
export function neutralFace(readings: readonly Float32Array[]): NeutralFace {
  const calmest = [...readings].sort((a, b) => tension(a) - tension(b));
  const chosen = calmest.slice(0, Math.max(1, Math.round(readings.length * REST_SHARE)));
  const first = chosen[0];
  if (!first) throw new RangeError('Cannot compute a face at rest without a reading');
  const rigid = rigidPoints(first);
  const landmarks = new Float32Array(first.length);
  for (const reading of chosen) {
    const moved = applyPose(skullPose(reading, first, rigid), reading);
    for (let at = 0; at < landmarks.length; at++) {
      landmarks[at] = (landmarks[at] ?? 0) + (moved[at] ?? 0) / chosen.length;
    }
  }
  return { landmarks, rigid };
}

/**
 * Returns the difference of each point of a face from its position at rest in the same pose: x, y, z in
 * pixels.
 */
export function expressionOf(neutral: NeutralFace, landmarks: Float32Array): Float32Array {
  const atRest = applyPose(skullPose(neutral.landmarks, landmarks, neutral.rigid), neutral.landmarks);
  return landmarks.map((value, at) => value - (atRest[at] ?? 0));
}

function tension(landmarks: Float32Array): number {
  return mouthOpening(landmarks) - 0.5 * Math.min(0.3, lidOpening(landmarks));
}

/** Returns the height of the eyes' openings divided by their width. */
function lidOpening(landmarks: Float32Array): number {
  const distance = (a: number, b: number): number =>
    Math.hypot(
      (landmarks[a * 3] ?? 0) - (landmarks[b * 3] ?? 0),
      (landmarks[a * 3 + 1] ?? 0) - (landmarks[b * 3 + 1] ?? 0),
    );
  return (distance(159, 145) + distance(386, 374)) / Math.max(distance(33, 133) + distance(263, 362), 1e-6);
}
