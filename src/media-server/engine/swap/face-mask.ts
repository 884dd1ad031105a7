import {
  FACE_OVAL,
  INNER_LIPS,
  LEFT_BROW,
  LEFT_EYE,
  NOSE_BASE,
  OUTER_LIPS,
  RIGHT_BROW,
  RIGHT_EYE,
} from '../face/mesh-topology.ts';
import { type CoarseGrid, cellCentre, doubledField, halvedField, halvedGrid } from './coarse-grid.ts';
import { depthField } from './depth-field.ts';
import { type FaceFrame, faceFrame } from './face-frame.ts';
import { Polygon } from './polygon.ts';
import { smoothStep } from '../smooth-step.ts';

/** The area of a swapped face, per cell, all values 0 to 1. */
export interface FaceMask {
  /** The opacity of the swapped face, computed from its shape alone. */
  readonly opacity: Float32Array;
  /**
   * How much of the cell is eye: 1 well inside the open eyes, 0.86 on the edge of the lids, 0 slightly outside. White
   * pixels between that edge and 0 also count as eye.
   */
  readonly eyes: Float32Array;
  /** The lips of the swapped face. */
  readonly lips: Float32Array;
}

/**
 * The parts of the face that are used to measure colour and light, per cell of the halved grid, all values 0
 * to 1.
 */
export interface FaceZones extends FaceMask {
  /** Bare skin: inside the outline, away from eyes, brows, lips and nostrils. */
  readonly skin: Float32Array;
  /** The lips of the target face. */
  readonly targetLips: Float32Array;
  /** Forehead and temples, where hair of either person may be. */
  readonly hairZone: Float32Array;
  /** The outer band of the face, where the source's outline may not fit. */
  readonly rim: Float32Array;
}

/**
 * The width of the feathered edge in eye distances: wide on the forehead, where skin meets skin, and narrow
 * along the jaw.
 */
const FEATHER_TOP = 0.3;
const FEATHER_JAW = 0.14;
const INSET = 0.015;
/** The width of the outer band, in eye distances. */
const RIM = 0.45;

/**
 * Computes the mask of a face on `grid`. `shape` is the position of the swapped face; `keepMouth`, 0 to 1, is
 * how much of the target's open mouth stays visible.
 */
export function faceMask(grid: CoarseGrid, shape: Float32Array, keepMouth: number): FaceMask {
  const frame = faceFrame(shape);
  const { unit } = frame;
  const coarse = halvedGrid(grid);
  const oval = doubledField(ovalDepth(coarse, shape, unit), coarse, grid);
  const eyes = depthField(grid, [new Polygon(shape, LEFT_EYE), new Polygon(shape, RIGHT_EYE)], 0.14 * unit);
  const lips = depthField(grid, [new Polygon(shape, OUTER_LIPS)], 0.04 * unit);
  const mouth = keepMouth > 0 ? depthField(grid, [new Polygon(shape, INNER_LIPS)], 0.06 * unit) : undefined;
  const opacity = new Float32Array(oval.length);
  for (let row = 0, n = 0; row < grid.rows; row++) {
    for (let column = 0; column < grid.columns; column++, n++) {
      const depth = oval[n] ?? 0;
      if (depth <= 0) continue;
      const { x, y } = cellCentre(grid, column, row);
      const up = frame.up(x, y) / unit;
      const feather = unit * (FEATHER_JAW + (FEATHER_TOP - FEATHER_JAW) * smoothStep(-0.2, 0.5, up));
      const inMouth = mouth ? 1 - smoothStep(0, 0.06 * unit, -(mouth[n] ?? 0)) : 0;
      opacity[n] = smoothStep(INSET * unit, INSET * unit + feather, depth) * (1 - keepMouth * inMouth);
    }
  }
  const inOval = (value: number, n: number): number => ((oval[n] ?? 0) > 0 ? value : 0);
  return {
    opacity,
    eyes: eyes.map((depth, n) => inOval(smoothStep(-0.14 * unit, 0.04 * unit, depth), n)),
    lips: lips.map((depth, n) => inOval(smoothStep(-0.02 * unit, 0.04 * unit, depth), n)),
  };
}

/**
 * Computes the zones of the face that `mask` covers, on `coarse`, which is `grid` at half the resolution. `target` is
 * the face underneath.
 */
export function faceZones(
  grid: CoarseGrid,
  coarse: CoarseGrid,
  mask: FaceMask,
  shape: Float32Array,
  target: Float32Array,
): FaceZones {
  const size = coarse.columns * coarse.rows;
  const [skin, hairZone, rim] = [new Float32Array(size), new Float32Array(size), new Float32Array(size)];
  const frame = faceFrame(shape);
  const { unit } = frame;
  const browTop = Math.max(browHeight(shape, frame), browHeight(target, frame));
  const oval = ovalDepth(coarse, shape, unit);
  const eyes = depthField(coarse, [new Polygon(shape, LEFT_EYE), new Polygon(shape, RIGHT_EYE)], 0.16 * unit);
  const features = depthField(
    coarse,
    [LEFT_BROW, RIGHT_BROW, NOSE_BASE, OUTER_LIPS].map((ring) => new Polygon(shape, ring)),
    0.16 * unit,
  );
  const targetLips = depthField(coarse, [new Polygon(target, OUTER_LIPS)], 0.06 * unit);
  for (let row = 0, n = 0; row < coarse.rows; row++) {
    for (let column = 0; column < coarse.columns; column++, n++) {
      const depth = oval[n] ?? 0;
      if (depth <= 0) continue;
      const { x, y } = cellCentre(coarse, column, row);
      const up = frame.up(x, y);
      const [eye, feature] = [eyes[n] ?? 0, features[n] ?? 0];
      const bare = smoothStep(0.04 * unit, 0.14 * unit, -Math.max(feature, eye - 0.1 * unit));
      const apart = smoothStep(0.06 * unit, 0.16 * unit, -Math.max(feature, eye));
      const temple = smoothStep(1.02 * unit, 1.2 * unit, Math.abs(frame.across(x, y)));
      skin[n] = bare * smoothStep(0, 0.1 * unit, depth);
      rim[n] = apart * (1 - smoothStep(0.2 * unit, RIM * unit, depth));
      hairZone[n] =
        apart *
        Math.max(
          smoothStep(browTop - 0.1 * unit, browTop + 0.1 * unit, up),
          temple * smoothStep(-0.5 * unit, 0, up),
        );
    }
  }
  return {
    opacity: halvedField(mask.opacity, grid, coarse),
    eyes: halvedField(mask.eyes, grid, coarse),
    lips: halvedField(mask.lips, grid, coarse),
    skin,
    targetLips: targetLips.map((depth, n) => ((oval[n] ?? 0) > 0 ? smoothStep(0, 0.06 * unit, depth) : 0)),
    hairZone,
    rim,
  };
}

function ovalDepth(coarse: CoarseGrid, shape: Float32Array, unit: number): Float32Array {
  return depthField(coarse, [new Polygon(shape, FACE_OVAL)], RIM * unit);
}

function browHeight(shape: Float32Array, frame: FaceFrame): number {
  let highest = -Infinity;
  for (const point of [...LEFT_BROW, ...RIGHT_BROW]) {
    highest = Math.max(highest, frame.up(shape[point * 3] ?? 0, shape[point * 3 + 1] ?? 0));
  }
  return highest;
}
