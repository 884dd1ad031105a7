import { MOUTH_AT_REST, type MouthShape } from './mouth-shape.ts';

/** Rows of a 3 x 3 turn in picture coordinates: x right, y down, z away from the camera. */
export type Turn = readonly [number, number, number, number, number, number, number, number, number];

/** How a head has moved from where it is in the portrait; angles in radians, within about 0.35 each. */
export interface HeadPose {
  /** To the viewer's right. */
  readonly yaw: number;
  /** Down. */
  readonly pitch: number;
  /** Clockwise. */
  readonly roll: number;
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

/** The turn of a pose: its yaw, then its pitch, then its roll. */
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

/** The angles of a turn, as in `turnOf`. */
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
