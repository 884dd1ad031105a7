import { MOUTH_AT_REST, type MouthShape } from './mouth-shape.ts';

/**
 * The rows of a 3 x 3 rotation matrix in picture coordinates: x to the right, y down, z away from the camera.
 */
export type Turn = readonly [number, number, number, number, number, number, number, number, number];

/** The movement of a head from its pose in the portrait. Angles are in radians, up to about 0.35 each. */
export interface HeadPose {
  /** Rotation to the viewer's right. */
  readonly yaw: number;
  /** Rotation downwards. */
  readonly pitch: number;
  /** Clockwise rotation. */
  readonly roll: number;
  /** Shift of the head to the viewer's right and down, in eye distances. */
  readonly across: number;
  readonly down: number;
  /** The scale relative to the portrait, where it is 1. */
  readonly scale: number;
}

/** The complete motion of a portrait at one moment. */
export interface FaceMotion {
  readonly pose: HeadPose;
  readonly mouth: MouthShape;
  /**
   * How far the lids are closed: 0 means as in the portrait, 1 closed, -0.3 wide open. Left and right are the viewer's.
   */
  readonly blinkLeft: number;
  readonly blinkRight: number;
  /** How far the brows are raised: 0 means as in the portrait, 1 raised, -1 lowered. */
  readonly browLeft: number;
  readonly browRight: number;
  /** Shift of the shoulders to the viewer's right and down, in eye distances; usually a few hundredths. */
  readonly torso: { readonly across: number; readonly down: number };
  /** Additional movement of each landmark (x, y, z in the portrait's pixels, before the head is turned). */
  readonly offsets?: Float32Array | undefined;
}

export const POSE_AT_REST: HeadPose = { yaw: 0, pitch: 0, roll: 0, across: 0, down: 0, scale: 1 };
export const MOTION_AT_REST: FaceMotion = {
  pose: POSE_AT_REST,
  mouth: MOUTH_AT_REST,
  blinkLeft: 0,
  blinkRight: 0,
  browLeft: 0,
  browRight: 0,
  torso: { across: 0, down: 0 },
};

/** Returns a pose's rotation matrix, which applies the yaw, then the pitch, then the roll. */
export function turnOf({ yaw, pitch, roll }: HeadPose): Turn {
  const [cy, sy, cp, sp, cr, sr] = [
    Math.cos(yaw),
    Math.sin(yaw),
    Math.cos(pitch),
    Math.sin(pitch),
    Math.cos(roll),
    Math.sin(roll),
  ];
  const [m00, m02] = [cy, -sy];
  const [m10, m11, m12] = [-sp * sy, cp, -sp * cy];
  const [m20, m21, m22] = [cp * sy, sp, cp * cy];
  return [
    cr * m00 - sr * m10,
    -sr * m11,
    cr * m02 - sr * m12,
    sr * m00 + cr * m10,
    cr * m11,
    sr * m02 + cr * m12,
    m20,
    m21,
    m22,
  ];
}

/** Returns the angles of a rotation matrix; the inverse of `turnOf`. */
export function anglesOf(turn: Turn): {
  readonly yaw: number;
  readonly pitch: number;
  readonly roll: number;
} {
  return {
    yaw: Math.atan2(turn[6], turn[8]),
    pitch: Math.asin(Math.min(1, Math.max(-1, turn[7]))),
    roll: Math.atan2(-turn[1], turn[4]),
  };
}
