import { type FaceMotion, MOTION_AT_REST, anglesOf } from '../animate/face-motion.ts';
import { type HeadAxes, type Vector, dot, headAxes, pointOf } from '../animate/head-axes.ts';
import { lidOpening } from '../animate/lids.ts';
import { clamp } from '../clamp.ts';
import { smoothStep } from '../smooth-step.ts';
import { STILL_POINTS, pickPoints } from '../animate/still-points.ts';
import { LANDMARK_COUNT, LEFT_BROW, RIGHT_BROW } from '../face/mesh-topology.ts';
import { type Pose, fitPose } from '../swap/similarity-fit.ts';
import type { DriverRange } from './driver-range.ts';

const DEGREE = Math.PI / 180;
/**
 * The largest head movements that a portrait can show. Larger movements of the driver approach these limits
 * asymptotically.
 */
const YAW_MAX = 24 * DEGREE;
const YAW_LESS = 28 * DEGREE;
const PITCH_MAX = 16 * DEGREE;
const ROLL_MAX = 18 * DEGREE;
const SHIFT_MAX = 0.45;
const SCALE_MAX = 0.15;
/** The share of a measured depth that is used, because depths are measured less reliably than positions. */
const DEPTH_SHARE = 0.5;

/** The target of the motion: the axes of the head in the portrait, and the influence of its mouth. */
interface Character {
  readonly axes: HeadAxes;
  mouthReach(point: number): number;
}

/** Converts the landmarks of a driver to the motion of a character, relative to the driver's neutral frame. */
export class MotionReader {
  readonly #range: DriverRange;
  readonly #character: Character;
  readonly #axes: HeadAxes;
  readonly #still: Float32Array;
  readonly #shares: Float32Array;

  constructor(range: DriverRange, character: Character) {
    this.#range = range;
    this.#character = character;
    this.#axes = headAxes(range.neutral);
    this.#still = pickPoints(range.neutral, STILL_POINTS);
    this.#shares = Float32Array.from({ length: LANDMARK_COUNT }, (_, point) => character.mouthReach(point));
  }

  /**
   * Returns the driver's motion at one moment. `landmarks` are smoothed; `raw` are not smoothed and are used for the
   * lids.
   */
  read(landmarks: Float32Array, raw: Float32Array): FaceMotion {
    const pose = fitPose(this.#still, pickPoints(landmarks, STILL_POINTS));
    const { yaw, pitch, roll } = anglesOf(pose.turn);
    const { pivot, unit } = this.#axes;
    const moved = applied(pose, pivot);
    const offsets = this.#offsets(landmarks, pose);
    const { left, right } = this.#blinks(raw);
    return {
      ...MOTION_AT_REST,
      pose: {
        yaw: softly(yaw, YAW_MAX - YAW_LESS * this.#hidden(yaw)),
        pitch: softly(pitch, PITCH_MAX),
        roll: softly(roll, ROLL_MAX),
        across: softly((moved[0] - pivot[0]) / unit, SHIFT_MAX),
        down: softly((moved[1] - pivot[1]) / unit, SHIFT_MAX),
        scale: 1 + softly(pose.scale - 1, SCALE_MAX),
      },
      blinkLeft: left,
      blinkRight: right,
      browLeft: this.#brow(landmarks, pose, LEFT_BROW),
      browRight: this.#brow(landmarks, pose, RIGHT_BROW),
      offsets,
    };
  }

  /**
   * Returns how much a rotation by `yaw` would reveal of the side of the face that the portrait hardly shows, 0 to 1.
   */
  #hidden(yaw: number): number {
    return Math.max(0, -Math.sign(yaw) * this.#character.axes.right[2]);
  }

  /**
   * Returns the movement of mouth and jaw without the movement of the head, in the character's proportions.
   */
  #offsets(landmarks: Float32Array, pose: Pose): Float32Array {
    const { axes } = this.#character;
    const ratio = axes.unit / this.#axes.unit;
    const offsets = new Float32Array(LANDMARK_COUNT * 3);
    for (let point = 0; point < LANDMARK_COUNT; point++) {
      const share = (this.#shares[point] ?? 0) * ratio;
      if (share === 0) continue;
      const { across, down, back } = this.#expression(landmarks, pose, point);
      for (let axis = 0; axis < 3; axis++) {
        offsets[point * 3 + axis] =
          share *
          ((axes.right[axis] ?? 0) * across +
            (axes.down[axis] ?? 0) * down +
            DEPTH_SHARE * (axes.back[axis] ?? 0) * back);
      }
    }
    return offsets;
  }

  /** Returns how a landmark has moved relative to the driver's head, in pixels along its axes. */
  #expression(
    landmarks: Float32Array,
    pose: Pose,
    point: number,
  ): { across: number; down: number; back: number } {
    const now = unapplied(pose, pointOf(landmarks, point));
    const then = pointOf(this.#range.neutral, point);
    const moved: Vector = [now[0] - then[0], now[1] - then[1], now[2] - then[2]];
    const { right, down, back } = this.#axes;
    return { across: dot(moved, right), down: dot(moved, down), back: dot(moved, back) };
  }

  #brow(landmarks: Float32Array, pose: Pose, brow: readonly number[]): number {
    let rise = 0;
    for (const point of brow) rise -= this.#expression(landmarks, pose, point).down / brow.length;
    return clamp(rise / this.#axes.unit / BROW_RISE, -1, 1.3);
  }

  #blinks(raw: Float32Array): { left: number; right: number } {
    const closed = (side: 'left' | 'right'): number => {
      const { open, shut } = this.#range[side];
      return (open - lidOpening(raw, side)) / Math.max(0.02, open - shut);
    };
    const [left, right] = [closed('left'), closed('right')];
    // Both lids blink together, unless the difference between them is clear.
    const both = (left + right) / 2;
    const own = smoothStep(0.35, 0.6, Math.abs(left - right));
    return { left: lid(both + own * (left - both)), right: lid(both + own * (right - both)) };
  }
}

/** The largest rise of a brow, in eye distances, that the rig can draw. */
const BROW_RISE = 0.07;

/** Small changes of the lids are mostly measurement errors. */
function lid(closed: number): number {
  return smoothStep(0.25, 0.85, closed);
}

/** Returns small values almost unchanged, and limits large ones to -`most` to `most`. */
function softly(value: number, most: number): number {
  return most * Math.tanh(value / most);
}

function applied({ turn, scale, shift }: Pose, [x, y, z]: Vector): Vector {
  return [
    shift[0] + scale * (turn[0] * x + turn[1] * y + turn[2] * z),
    shift[1] + scale * (turn[3] * x + turn[4] * y + turn[5] * z),
    shift[2] + scale * (turn[6] * x + turn[7] * y + turn[8] * z),
  ];
}

function unapplied({ turn, scale, shift }: Pose, point: Vector): Vector {
  const x = (point[0] - shift[0]) / scale;
  const y = (point[1] - shift[1]) / scale;
  const z = (point[2] - shift[2]) / scale;
  return [
    turn[0] * x + turn[3] * y + turn[6] * z,
    turn[1] * x + turn[4] * y + turn[7] * z,
    turn[2] * x + turn[5] * y + turn[8] * z,
  ];
}
