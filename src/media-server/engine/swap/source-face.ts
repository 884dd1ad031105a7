import { clamp } from '../clamp.ts';
import { type Face, eyeDistanceOf } from '../face/face.ts';
import { INNER_LIPS, OUTER_LIPS } from '../face/mesh-topology.ts';
import type { Pixels, Rect } from '../pixels.ts';
import { shifted } from './shifted.ts';
import { halved, threeQuarters } from './shrunk.ts';

/** A face that can be put on other faces: a copy of the pixels around it in decreasing sizes, with its landmarks. */
export interface SourceFace {
  /** The levels from the largest to the smallest. */
  readonly levels: readonly [SourceLevel, ...SourceLevel[]];
  readonly yawDegrees: number;
}

interface SourceLevel {
  /** The pixels, which are computed on first use. */
  readonly pixels: Pixels;
  /** The coordinates x, y, z in pixels of this level. */
  readonly landmarks: Float32Array;
}

/** The inner edge of the lips is moved outwards by this share of the lips' thickness, so that no teeth are copied. */
const LIP_MARGIN = 0.2;
const MARGIN = 0.08;
const LEVEL_SIZE_MIN = 24;

/** Cuts `face` out of `picture`, which is no longer needed afterwards. */
export function cutSourceFace(picture: Pixels, face: Face): SourceFace {
  const area = clippedBox(picture, face);
  const whole = { pixels: copyArea(picture, area), landmarks: shifted(face.landmarks, -area.x, -area.y) };
  const levels: [SourceLevel, ...SourceLevel[]] = [whole];
  let last: SourceLevel = whole;
  for (let size = Math.min(area.width, area.height); size >= 2 * LEVEL_SIZE_MIN; size /= 2) {
    const half = shrunkLevel(last, 0.5, halved);
    levels.push(shrunkLevel(last, 0.75, threeQuarters), half);
    last = half;
  }
  return { levels, yawDegrees: face.yawDegrees };
}

/** Returns the level whose eye distance is closest to `eyeDistance`. */
export function levelFor({ levels }: SourceFace, eyeDistance: number): SourceLevel {
  const off = ({ landmarks }: SourceLevel): number =>
    Math.abs(Math.log(eyeDistanceOf(landmarks) / eyeDistance));
  return levels.reduce((best, level) => (off(level) < off(best) ? level : best));
}

/**
 * Returns the landmarks of a face with an open mouth, with the inner edge of the lips moved slightly into the
 * lips.
 */
export function withoutTeeth(landmarks: Float32Array): Float32Array {
  const inside = Float32Array.from(landmarks);
  for (const [n, point] of INNER_LIPS.entries()) {
    const outer = OUTER_LIPS[n] ?? point;
    for (let axis = 0; axis < 2; axis++) {
      const here = landmarks[point * 3 + axis] ?? 0;
      inside[point * 3 + axis] = here + LIP_MARGIN * ((landmarks[outer * 3 + axis] ?? 0) - here);
    }
  }
  return inside;
}

function clippedBox(picture: Pixels, { box }: Face): Rect {
  const margin = MARGIN * Math.max(box.width, box.height);
  const x = clamp(Math.floor(box.x - margin), 0, picture.width - 1);
  const y = clamp(Math.floor(box.y - margin), 0, picture.height - 1);
  const right = clamp(Math.ceil(box.x + box.width + margin), x + 1, picture.width);
  const bottom = clamp(Math.ceil(box.y + box.height + margin), y + 1, picture.height);
  return { x, y, width: right - x, height: bottom - y };
}

function copyArea(picture: Pixels, area: Rect): Pixels {
  const data = new Uint8Array(area.width * area.height * 4);
  for (let row = 0; row < area.height; row++) {
    const start = ((area.y + row) * picture.width + area.x) * 4;
    data.set(picture.data.subarray(start, start + area.width * 4), row * area.width * 4);
  }
  return { width: area.width, height: area.height, data };
}

function shrunkLevel(from: SourceLevel, factor: number, shrink: (pixels: Pixels) => Pixels): SourceLevel {
  let pixels: Pixels | undefined;
  return {
    landmarks: from.landmarks.map((value) => value * factor),
    get pixels() {
      return (pixels ??= shrink(from.pixels));
    },
  };
}
