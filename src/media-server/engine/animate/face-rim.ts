import { FACE_OVAL, LANDMARK_COUNT } from '../face/mesh-topology.ts';
import { dot, headAxes, minus, ovalCentre, pointOf } from './head-axes.ts';
import { smoothStep } from '../smooth-step.ts';

/** A landmark near the side of the face. */
export interface RimPoint {
  readonly point: number;
  /** To its side of the face, along the line of the eyes: length 1 in picture pixels. */
  readonly outX: number;
  readonly outY: number;
  /** 1 on the outline beside the eyes, falling towards the middle of the face, the forehead and the chin. */
  readonly share: number;
}

/** How much less the sides move inwards and outwards than points on a mask would. */
const INWARD_LESS = 0.8;
const OUTWARD_LESS = 0.35;

/**
 * The landmarks near the sides of the face. A head is round: turned aside, its outline is made by other parts of it
 * and stays nearly where it was, while a flat mask would part from ears and neck.
 */
export function rimPoints(landmarks: Float32Array): readonly RimPoint[] {
  const { right, down } = headAxes(landmarks);
  const length = Math.max(1e-6, Math.hypot(right[0], right[1]));
  const [rightX, rightY] = [right[0] / length, right[1] / length];
  const centre = ovalCentre(landmarks);
  // As seen from straight ahead: in a half profile the far eye is close to the outline of the picture.
  const place = (point: number): { across: number; below: number } => {
    const apart = minus(pointOf(landmarks, point), centre);
    return { across: dot(apart, right), below: dot(apart, down) };
  };
  const outline = FACE_OVAL.map((point) => polar(place(point)));
  const rim: RimPoint[] = [];
  for (let point = 0; point < LANDMARK_COUNT; point++) {
    const { angle, radius } = polar(place(point));
    const side = Math.cos(angle);
    const share =
      smoothStep(0.2, 0.75, Math.abs(side)) * smoothStep(0.82, 1, radius / outlineRadius(outline, angle));
    if (share > 0) rim.push({ point, outX: Math.sign(side) * rightX, outY: Math.sign(side) * rightY, share });
  }
  return rim;
}

interface Polar {
  readonly angle: number;
  readonly radius: number;
}

function polar({ across, below }: { across: number; below: number }): Polar {
  return { angle: Math.atan2(below, across), radius: Math.max(1e-6, Math.hypot(across, below)) };
}

/** How much of a sideways movement of `along` pixels away from the middle (negative: towards it) a rim point makes. */
export function rimShare({ share }: RimPoint, along: number): number {
  return 1 - share * (along < 0 ? INWARD_LESS : OUTWARD_LESS);
}

/** Radius of the outline in a direction, from the two outline points next to it. */
function outlineRadius(outline: readonly Polar[], angle: number): number {
  let [sum, weights] = [0, 0];
  for (const { angle: other, radius } of outline) {
    const apart = Math.abs(Math.atan2(Math.sin(angle - other), Math.cos(angle - other)));
    const weight = 1 / (1e-4 + apart * apart);
    sum += weight * radius;
    weights += weight;
  }
  return sum / weights;
}
