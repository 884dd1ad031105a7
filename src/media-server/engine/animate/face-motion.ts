import { MOUTH_AT_REST, type MouthShape } from './mouth-shape.ts';

/** Rows of a 3 x 3 turn in picture coordinates: x right, y down, z away from the camera. */
export type Turn = readonly [number, number, number, number, number, number, number, number, number];

/** How a head has moved from where it is in the portrait. */
export interface HeadPose {
  /** Keep it within about 20 degrees: a portrait shows no more of the head than that. */
  readonly turn: Turn;
  /** Shift of the head to the viewer's right and down, in eye distances. */
  readonly across: number;
  readonly down: number;
  /** 1: as large as in the portrait. */
  readonly scale: number;
}

/** Everything that a portrait can be made to do at one moment. */
export interface FaceMotion {
  readonly pose: HeadPose;
  readonly mouth: MouthShape;
  /** 0: as in the portrait, 1: closed; down to -0.3: wide open. Left and right are the viewer's. */
  readonly blinkLeft: number;
  readonly blinkRight: number;
  /** 0: as in the portrait, 1: raised, -1: lowered. */
  readonly browLeft: number;
  readonly browRight: number;
  /** Shift of the shoulders to the viewer's right and down, in eye distances; some hundredths. */
  readonly torso: { readonly across: number; readonly down: number };
  /** More movement of each landmark (x, y, z in the portrait's pixels, head unturned), added to the above. */
  readonly offsets?: Float32Array | undefined;
}

export const NO_TURN: Turn = [1, 0, 0, 0, 1, 0, 0, 0, 1];
export const POSE_AT_REST: HeadPose = { turn: NO_TURN, across: 0, down: 0, scale: 1 };
export const MOTION_AT_REST: FaceMotion = {
  pose: POSE_AT_REST,
  mouth: MOUTH_AT_REST,
  blinkLeft: 0,
  blinkRight: 0,
  browLeft: 0,
  browRight: 0,
  torso: { across: 0, down: 0 },
};

/**
 * The turn by three angles in radians: `yaw` to the viewer's right, then `pitch` down, then `roll` clockwise.
 */
export function turnBy(yaw: number, pitch: number, roll: number): Turn {
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
