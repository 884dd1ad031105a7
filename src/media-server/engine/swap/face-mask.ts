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
import { type CoarseGrid, cellCentre } from './coarse-grid.ts';
import { type FaceFrame, faceFrame } from './face-frame.ts';
import { Polygon, smoothstep } from './polygon.ts';

/** Where a swapped face goes, per cell, all 0 to 1. */
export interface FaceMask {
  /** How much of the swapped face shows, from its shape alone. */
  readonly opacity: Float32Array;
  /** Bare skin: inside the outline, away from eyes, brows, lips and nostrils. */
  readonly skin: Float32Array;
  /** 1 well inside the open eyes, 0.86 on the lids' edge, 0 a little outside; what is white out there is eye too. */
  readonly eyes: Float32Array;
  /** The lips of the swapped face, and those of the target under it. */
  readonly lips: Float32Array;
  readonly targetLips: Float32Array;
  /** Forehead and temples, where hair of either person may lie. */
  readonly hairZone: Float32Array;
  /** The outer band of the face, where the source's outline may not fit. */
  readonly rim: Float32Array;
}

/** Feather in eye distances: wide on the forehead, where skin meets skin, narrow along the jaw. */
const FEATHER_TOP = 0.3;
const FEATHER_JAW = 0.14;
const INSET = 0.015;

/**
 * Lays the mask of a face over `grid`. `shape` is where the swapped face lies, `target` the face under it;
 * with `keepMouth` the target's open mouth shows through.
 */
export function faceMask(
  grid: CoarseGrid,
  shape: Float32Array,
  target: Float32Array,
  keepMouth: boolean,
): FaceMask {
  const size = grid.columns * grid.rows;
  const mask = {
    opacity: new Float32Array(size),
    skin: new Float32Array(size),
    eyes: new Float32Array(size),
    lips: new Float32Array(size),
    targetLips: new Float32Array(size),
    hairZone: new Float32Array(size),
    rim: new Float32Array(size),
  };
  const frame = faceFrame(shape);
  const { unit } = frame;
  const browTop = Math.max(browHeight(shape, frame), browHeight(target, frame));
  const oval = new Polygon(shape, FACE_OVAL);
  const eyes = [new Polygon(shape, LEFT_EYE), new Polygon(shape, RIGHT_EYE)];
  const lips = new Polygon(shape, OUTER_LIPS);
  const targetLips = new Polygon(target, OUTER_LIPS);
  const features = [LEFT_BROW, RIGHT_BROW, NOSE_BASE].map((ring) => new Polygon(shape, ring));
  features.push(lips);
  const mouth = keepMouth ? new Polygon(shape, INNER_LIPS) : undefined;
  for (let row = 0, n = 0; row < grid.rows; row++) {
    for (let column = 0; column < grid.columns; column++, n++) {
      const { x, y } = cellCentre(grid, column, row);
      const depth = oval.depth(x, y);
      if (depth <= 0) continue;
      const up = frame.up(x, y);
      const feather = unit * (FEATHER_JAW + (FEATHER_TOP - FEATHER_JAW) * smoothstep(-0.2, 0.5, up / unit));
      let opacity = smoothstep(INSET * unit, INSET * unit + feather, depth);
      if (mouth?.near(x, y, unit * 0.1)) opacity *= smoothstep(0, 0.06 * unit, -mouth.depth(x, y));
      const eyeDepth = greatestDepth(eyes, x, y, unit * 0.3);
      const featureDepth = Math.max(greatestDepth(features, x, y, unit * 0.3), eyeDepth - 0.1 * unit);
      mask.opacity[n] = opacity;
      mask.skin[n] = smoothstep(0.04 * unit, 0.14 * unit, -featureDepth) * smoothstep(0, 0.1 * unit, depth);
      const apart = smoothstep(0.06 * unit, 0.16 * unit, -Math.max(featureDepth, eyeDepth));
      mask.rim[n] = apart * (1 - smoothstep(0.2 * unit, 0.45 * unit, depth));
      mask.eyes[n] = smoothstep(-0.14 * unit, 0.04 * unit, eyeDepth);
      if (lips.near(x, y, 0)) mask.lips[n] = smoothstep(-0.02 * unit, 0.04 * unit, lips.depth(x, y));
      if (targetLips.near(x, y, 0)) mask.targetLips[n] = smoothstep(0, 0.06 * unit, targetLips.depth(x, y));
      mask.hairZone[n] = Math.max(
        smoothstep(browTop - 0.1 * unit, browTop + 0.1 * unit, up) * apart,
        smoothstep(1.02 * unit, 1.2 * unit, Math.abs(frame.across(x, y))) *
          smoothstep(-0.5 * unit, 0, up) *
          apart,
      );
    }
  }
  return mask;
}

function browHeight(shape: Float32Array, frame: FaceFrame): number {
  let highest = -Infinity;
  for (const point of [...LEFT_BROW, ...RIGHT_BROW]) {
    highest = Math.max(highest, frame.up(shape[point * 3] ?? 0, shape[point * 3 + 1] ?? 0));
  }
  return highest;
}

function greatestDepth(polygons: readonly Polygon[], x: number, y: number, reach: number): number {
  let greatest = -Infinity;
  for (const polygon of polygons) {
    if (polygon.near(x, y, reach)) greatest = Math.max(greatest, polygon.depth(x, y));
  }
  return greatest;
}
