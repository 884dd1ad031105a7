import { eyeDistanceOf, landmarkDistance } from '../face/face.ts';
import { FACE_OVAL, LEFT_EYE, OUTER_LIPS, RIGHT_EYE } from '../face/mesh-topology.ts';
import { Polygon } from './polygon.ts';
import { smoothStep } from '../smooth-step.ts';
import { alignToPose } from './similarity-fit.ts';

/** How much of the source's proportions the swapped face gets, 0 to 1. */
interface ShapeMix {
  readonly features: number;
}

/**
 * The default was chosen by visual comparison: below 0.5 the person is hard to recognise, above 0.9 the cheeks start to
 * smear.
 */
const DEFAULT_SHAPE_MIX: ShapeMix = { features: 0.8 };

/** The mix reaches its full share at this distance inside the outline, in eye distances. */
const FULL_SHARE_DEPTH = 0.42;
/**
 * If the mouth or the lids are open in only one of the two faces, the skin within this distance of them, in eye
 * distances, keeps the target's shape.
 */
const MOUTH_REACH = 0.6;
const LID_REACH = 0.2;

/**
 * Returns the positions of the source's landmarks in the target picture: the target's outline, and inside it
 * the source's proportions in the target's pose. Mouth and lids keep the target's opening.
 */
export function targetShape(
  target: Float32Array,
  source: Float32Array,
  mix: ShapeMix = DEFAULT_SHAPE_MIX,
): Float32Array {
  const posed = alignToPose(source, target);
  const oval = new Polygon(target, FACE_OVAL);
  const unit = eyeDistanceOf(target);
  const shape = Float32Array.from(target);
  const mouth = new Polygon(target, OUTER_LIPS);
  const eyes = [new Polygon(target, LEFT_EYE), new Polygon(target, RIGHT_EYE)];
  const mouthShare = agreement(mouthOpening(source), mouthOpening(target), 0.12);
  const lidShare = agreement(lidOpening(source), lidOpening(target), 0.12);
  for (let at = 0; at < target.length; at += 3) {
    const x = target[at] ?? 0;
    const y = target[at + 1] ?? 0;
    let share = mix.features * smoothStep(0, FULL_SHARE_DEPTH * unit, oval.depth(x, y));
    share *= mouthShare + (1 - mouthShare) * smoothStep(0, MOUTH_REACH * unit, -mouth.depth(x, y));
    for (const eye of eyes) {
      share *= lidShare + (1 - lidShare) * smoothStep(0, LID_REACH * unit, -eye.depth(x, y));
    }
    shape[at] = x + share * ((posed[at] ?? 0) - x);
    shape[at + 1] = y + share * ((posed[at + 1] ?? 0) - y);
  }
  return shape;
}

/** Returns the height of the mouth's opening divided by its width, which is about 0 when it is closed. */
export function mouthOpening(landmarks: Float32Array): number {
  return landmarkDistance(landmarks, 13, 14) / Math.max(landmarkDistance(landmarks, 78, 308), 1e-6);
}

function lidOpening(landmarks: Float32Array): number {
  const left = landmarkDistance(landmarks, 159, 145) / Math.max(landmarkDistance(landmarks, 33, 133), 1e-6);
  const right = landmarkDistance(landmarks, 386, 374) / Math.max(landmarkDistance(landmarks, 263, 362), 1e-6);
  return (left + right) / 2;
}

/** Returns 1 if both values are equal, and approaches 0 as their difference exceeds `tolerance`. */
function agreement(a: number, b: number, tolerance: number): number {
  return Math.exp(-(((a - b) / tolerance) ** 2));
}
