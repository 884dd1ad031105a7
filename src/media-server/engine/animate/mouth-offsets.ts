import { LANDMARK_COUNT } from '../face/mesh-topology.ts';
import { type HeadAxes, type Vector, dot, headAxes, minus, pointOf } from './head-axes.ts';
import { LOWER_EDGE, LOWER_LIP, UPPER_EDGE, UPPER_LIP } from './lip-rows.ts';
import { type MouthInside, mouthMiddle } from './mouth-interior.ts';
import type { MouthShape } from './mouth-shape.ts';
import { clamp } from '../clamp.ts';
import { smoothStep } from '../smooth-step.ts';

/** How far a wide "ah" moves each part, in eye distances (63 mm in an adult). These ranges were measured in speech. */
const JAW_DROP = 0.17;
const LOWER_LIP_DROP = 0.2;
const UPPER_LIP_RISE = 0.03;
const CORNER_DROP = 0.05;

/** One landmark in the mouth's coordinates, in eye distances from the middle of the mouth. */
interface Place {
  readonly across: number;
  readonly down: number;
  /** Position between the corners of the mouth: 0 at a corner and beyond it, 1 in the middle. */
  readonly arch: number;
  readonly lip: 'upper' | 'lower' | 'none';
  /** The position across the lip: 0 at its outer edge, 1 at its inner edge. */
  readonly inward: number;
  /** How much the skin moves with the jaw, 0 to 1. */
  readonly jaw: number;
  /** How much the skin moves with the lips, 0 to 1. */
  readonly near: number;
}

/** Converts mouth shapes to movements of one face's landmarks. */
export class MouthOffsets {
  readonly axes: HeadAxes;
  readonly #places: readonly Place[];
  /** Distance between the lips at rest at each pair of edge points, in eye distances. */
  readonly #gaps: readonly number[];
  readonly #chin: Vector;
  readonly #middle: Vector;

  /** Measures the proportions of the face with these landmarks, with the mouth at rest. */
  constructor(rest: Float32Array) {
    this.axes = headAxes(rest);
    this.#places = placesOf(rest, this.axes);
    this.#gaps = gapsOf(rest, this.axes);
    this.#chin = pointOf(rest, 152);
    this.#middle = mouthMiddle(rest);
  }

  /**
   * The widest distance between the lips at rest, in eye distances. Above 0.04 the mouth is open in the
   * picture.
   */
  get gapAtRest(): number {
    return Math.max(...this.#gaps);
  }

  /**
   * Returns how much the mouth determines the position of a landmark: 1 on the lips, 0 where it has no
   * influence.
   */
  reach(point: number): number {
    const place = this.#places[point];
    if (!place) return 0;
    return place.lip === 'none' ? Math.max(place.jaw, place.near) : 1;
  }

  /** Moves `points` (x, y, z of every landmark) as the mouth changes from rest to `shape`. */
  addTo(points: Float32Array, shape: MouthShape): void {
    const { right, down, back, unit } = this.axes;
    const active = mouthActivity(shape);
    for (let point = 0; point < LANDMARK_COUNT; point++) {
      const place = this.#places[point];
      if (!place || (place.jaw === 0 && place.near === 0 && place.lip === 'none')) continue;
      const [a, d, b] = place.lip === 'none' ? skinMove(place, shape) : lipMove(place, shape);
      const closing = active === 0 ? 0 : active * this.#closing(place);
      const at = point * 3;
      for (let axis = 0; axis < 3; axis++) {
        const move = (right[axis] ?? 0) * a + (down[axis] ?? 0) * (d - closing) + (back[axis] ?? 0) * b;
        points[at + axis] = (points[at + axis] ?? 0) + unit * move;
      }
    }
  }

  /**
   * Returns the positions of teeth and tongue for a mouth shape. `points` are the landmarks of the unturned head with
   * this shape.
   */
  insideOf(points: Float32Array, { open, spread, press, tuck }: MouthShape): MouthInside {
    const { down, unit } = this.axes;
    const chin = minus(pointOf(points, 152), this.#chin);
    const jaw = Math.max(0, dot(chin, down) / unit);
    const opened = Math.max(...gapsOf(points, this.axes)) - this.gapAtRest;
    const lip = dot(minus(pointOf(points, 14), this.#middle), down) / unit;
    const wide = Math.max(0, spread);
    return {
      show: Math.max(mouthActivity({ open, spread, press, tuck }), smoothStep(0.01, 0.04, opened)),
      upperTeeth: 0.035 + 0.012 * wide + 0.01 * tuck,
      // The lower lip hides all but the tips of the lower teeth.
      lowerTeeth: Math.max(0.05 + jaw, lip - 0.025) - 0.012 * wide,
      tongue: Math.max(0.06 + 0.75 * jaw, lip - 0.08),
    };
  }

  /**
   * Returns how far a landmark must move to close a mouth that is open at rest, because mouth shapes are relative to
   * closed lips. The lower lip and jaw move most.
   */
  #closing(place: Place): number {
    const widest = this.gapAtRest;
    if (widest < 0.01) return 0;
    if (place.lip === 'none') return 0.6 * widest * place.jaw;
    const across = clamp((place.across / this.#halfWidth + 1) / 2, 0, 1) * (this.#gaps.length - 1);
    const gap = this.#gaps[Math.round(across)] ?? 0;
    // Together, the lips move slightly more than the measured gap, because the real gap is slightly larger.
    return place.lip === 'lower' ? 0.8 * gap : -0.32 * gap;
  }

  get #halfWidth(): number {
    const [left, rightmost] = [this.#places[78], this.#places[308]];
    return Math.max(0.05, ((rightmost?.across ?? 0.4) - (left?.across ?? -0.4)) / 2);
  }
}

/** Returns how far a shape is from rest, 0 to 1. */
function mouthActivity({ open, spread, press, tuck }: MouthShape): number {
  return clamp(2.5 * (open + press + tuck + Math.abs(spread)), 0, 1);
}

type Move = readonly [across: number, down: number, back: number];

function lipMove(place: Place, { open, spread, press, tuck }: MouthShape): Move {
  const { arch, inward, across, down } = place;
  const rounded = Math.max(0, -spread);
  const wide = Math.max(0, spread);
  const upper = place.lip === 'upper';
  const drop = upper
    ? CORNER_DROP * (1 - arch) - UPPER_LIP_RISE * arch
    : CORNER_DROP + (LOWER_LIP_DROP - CORNER_DROP) * arch;
  const outer = 1 - inward;
  let d = open * (1 + 0.5 * rounded) * drop * (upper ? 1 - 0.3 * outer : 1 - 0.06 * outer);
  d -= down * (0.3 * press + 0.08 * wide) * (0.4 + 0.6 * outer);
  d += (upper ? -1 : 1) * rounded * 0.025 * arch * outer;
  d -= wide * 0.02 * (1 - arch);
  if (upper) d -= tuck * 0.035 * arch;
  else d -= tuck * (0.25 * Math.max(0, down) + 0.01) * arch;
  const a = across * (0.2 * wide - 0.3 * rounded - 0.02 * open);
  const b = -0.1 * rounded + (upper ? 0 : 0.06 * tuck + 0.03 * open) + 0.02 * press;
  return [a, d, b];
}

function skinMove(place: Place, { open, spread, press, tuck }: MouthShape): Move {
  const { jaw, near, across, down } = place;
  const rounded = Math.max(0, -spread);
  const wide = Math.max(0, spread);
  let d = open * JAW_DROP * jaw;
  // Above the mouth the skin follows the upper lip up; beside the mouth it follows the corners down.
  if (down < 0) d -= near * (open * 0.018 + tuck * 0.022);
  d += near * (1 - jaw) * open * 0.03 * smoothStep(-0.1, 0.1, down);
  d -= jaw * (0.02 * press + 0.015 * tuck);
  const a = near * across * (0.16 * wide - 0.22 * rounded - 0.03 * open * jaw);
  return [a, d, open * 0.05 * jaw - 0.04 * rounded * near];
}

function placesOf(rest: Float32Array, axes: HeadAxes): readonly Place[] {
  const middle = mouthMiddle(rest);
  const inMouth = (point: number): { across: number; down: number } => {
    const apart = minus(pointOf(rest, point), middle);
    return { across: dot(apart, axes.right) / axes.unit, down: dot(apart, axes.down) / axes.unit };
  };
  const halfWidth = Math.max(0.05, (inMouth(308).across - inMouth(78).across) / 2);
  const nose = inMouth(2).down;
  const rows = lipRowsByPoint();
  return Array.from({ length: LANDMARK_COUNT }, (_, point) => {
    const { across, down } = inMouth(point);
    const row = rows.get(point);
    const arch = Math.max(0, 1 - (across / (halfWidth * 1.02)) ** 2) ** 0.75;
    const side = Math.abs(across);
    const jaw = smoothStep(0.02, 0.26, down) * (1 - smoothStep(0.3, 1.0, side));
    const beside = Math.max(0, side - halfWidth);
    const above = Math.max(0, -0.1 - down) / Math.max(0.1, -0.1 - nose);
    const near =
      Math.exp(-((beside / 0.22) ** 2)) * (1 - smoothStep(0, 1, above)) * (1 - smoothStep(0.2, 0.6, down));
    return { across, down, arch, lip: row?.lip ?? 'none', inward: row?.inward ?? 0, jaw, near };
  });
}

function lipRowsByPoint(): ReadonlyMap<number, { lip: 'upper' | 'lower'; inward: number }> {
  const rows = new Map<number, { lip: 'upper' | 'lower'; inward: number }>();
  for (const [n, row] of LOWER_LIP.entries())
    for (const point of row) rows.set(point, { lip: 'lower', inward: n / 3 });
  // The corners belong to both lips, which move alike there, so they are treated as part of the upper lip.
  for (const [n, row] of UPPER_LIP.entries())
    for (const point of row) rows.set(point, { lip: 'upper', inward: n / 3 });
  return rows;
}

/** Returns the distance between the lips at each pair of edge points, in eye distances. */
function gapsOf(landmarks: Float32Array, { down, unit }: HeadAxes): number[] {
  return UPPER_EDGE.map((upper, n) => {
    const apart = minus(pointOf(landmarks, LOWER_EDGE[n] ?? 0), pointOf(landmarks, upper));
    return Math.max(0, dot(apart, down) / unit);
  });
}
