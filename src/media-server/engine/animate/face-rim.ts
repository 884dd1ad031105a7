import { FACE_OVAL, LANDMARK_COUNT } from '../face/mesh-topology.ts';
import { dot, headAxes, minus, ovalCentre, pointOf } from './head-axes.ts';
import { smoothStep } from '../smooth-step.ts';

/** A landmark near the side of the face. */
export interface RimPoint {
  readonly point: number;
  /**
   * The outward direction at this side of the face, along the line of the eyes, as a unit vector in picture
   * pixels.
   */
  readonly outX: number;
  readonly outY: number;
  /**
   * The share of the full reduction that applies to this landmark: 1 on the outline next to the eyes, decreasing
   * towards the middle of the face, the forehead and the chin.
   */
  readonly share: number;
}

/** The full reduction of inward and outward movement at the sides of the face, compared with a flat mask. */
const INWARD_LESS = 0.8;
const OUTWARD_LESS = 0.35;

/**
 * Returns the landmarks near the sides of the face, whose movement is to be reduced. A head is round: when it turns,
 * other parts of it form the outline, so the outline hardly moves. The sides of a flat mask would move away from the
 * ears and the neck.
 */
export function rimPoints(landmarks: Float32Array): readonly RimPoint[] {
  const { right, down } = headAxes(landmarks);
  const length = Math.max(1e-6, Math.hypot(right[0], right[1]));
  const [rightX, rightY] = [right[0] / length, right[1] / length];
  const centre = ovalCentre(landmarks);
  // Positions as seen from the front, because in a half profile the far eye is close to the outline of the face.
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

/**
 * Returns the share of a sideways movement that a rim point follows. `along` is the movement in pixels away from the
 * middle (negative: towards it).
 */
export function rimShare({ share }: RimPoint, along: number): number {
  return 1 - share * (along < 0 ? INWARD_LESS : OUTWARD_LESS);
}

/**
 * Returns the radius of the outline in a direction, interpolated between outline points by their angular
 * distance.
 */
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
