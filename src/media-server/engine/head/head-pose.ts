import { LANDMARK_COUNT } from '../face/mesh-topology.ts';
import { faceFrame } from '../swap/face-frame.ts';
import { type Pose, applyPose, fitPose } from '../swap/similarity-fit.ts';
import { HEAD_POINT_COUNT, followOf, outlineOf } from './head-mesh.ts';

const LEFT_EAR = 234 * 3;
const RIGHT_EAR = 454 * 3;
/**
 * Points below this height, in eye distances relative to the eye line, do not determine the pose, because mouth and jaw
 * move.
 */
const RIGID_FROM = -0.62;

/** Returns the points of a face that do not move on the skull. */
export function rigidPoints(landmarks: Float32Array): readonly number[] {
  const frame = faceFrame(landmarks);
  const points: number[] = [];
  for (let point = 0; point < LANDMARK_COUNT; point++) {
    const up = frame.up(landmarks[point * 3] ?? 0, landmarks[point * 3 + 1] ?? 0);
    if (up > RIGID_FROM * frame.unit) points.push(point);
  }
  return points;
}

/** Returns the pose that maps the skull of `from` to that of `to`, computed from the `rigid` points. */
export function skullPose(from: Float32Array, to: Float32Array, rigid: readonly number[]): Pose {
  return fitPose(chosen(from, rigid), chosen(to, rigid));
}

/**
 * Returns the points of a head (the result of `withRings` for its face) in a pose. The face rotates in space about the
 * ears. The outline of the hair only tilts and shifts with the head, because the outline of a round head stays the same
 * when the head turns.
 */
export function poseHead(points: Float32Array, pose: Pose, expression: Float32Array): Float32Array {
  const posed = applyPose(pose, points);
  const pivot = Float32Array.of(
    ((points[LEFT_EAR] ?? 0) + (points[RIGHT_EAR] ?? 0)) / 2,
    ((points[LEFT_EAR + 1] ?? 0) + (points[RIGHT_EAR + 1] ?? 0)) / 2,
    ((points[LEFT_EAR + 2] ?? 0) + (points[RIGHT_EAR + 2] ?? 0)) / 2,
  );
  const [toX = 0, toY = 0] = applyPose(pose, pivot);
  const { turn, scale } = pose;
  const roll = Math.atan2(turn[3] - turn[1], turn[0] + turn[4]);
  const [cos, sin] = [Math.cos(roll) * scale, Math.sin(roll) * scale];
  const flat = (at: number): [number, number] => {
    const x = (points[at] ?? 0) - (pivot[0] ?? 0);
    const y = (points[at + 1] ?? 0) - (pivot[1] ?? 0);
    return [toX + cos * x - sin * y, toY + sin * x + cos * y];
  };
  for (let at = 0; at < expression.length; at += 3) {
    posed[at] = (posed[at] ?? 0) + (expression[at] ?? 0);
    posed[at + 1] = (posed[at + 1] ?? 0) + (expression[at + 1] ?? 0);
  }
  for (let point = LANDMARK_COUNT; point < HEAD_POINT_COUNT; point++) {
    const base = outlineOf(point) * 3;
    const [baseX, baseY] = flat(base);
    const [x, y] = flat(point * 3);
    const follow = followOf(point);
    posed[point * 3] = x + follow * ((posed[base] ?? 0) - baseX);
    posed[point * 3 + 1] = y + follow * ((posed[base + 1] ?? 0) - baseY);
  }
  return posed;
}

function chosen(points: Float32Array, indices: readonly number[]): Float32Array {
  const picked = new Float32Array(indices.length * 3);
  for (const [n, point] of indices.entries()) picked.set(points.subarray(point * 3, point * 3 + 3), n * 3);
  return picked;
}
