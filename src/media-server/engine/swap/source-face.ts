import { type Face, eyeDistanceOf } from '../face/face.ts';
import { INNER_LIPS, OUTER_LIPS } from '../face/mesh-topology.ts';
import type { Pixels, Rect } from '../pixels.ts';
import { shifted } from './shifted.ts';

/** A face to put on others: its own copy of the pixels around it, in halving sizes, and its landmarks. */
export interface SourceFace {
  readonly levels: readonly SourceLevel[];
  /** Distance between the eyes in pixels of the first level. */
  readonly eyeDistance: number;
  readonly yawDegrees: number;
  /** Bytes held by all levels. */
  readonly sizeBytes: number;
}

export interface SourceLevel {
  readonly pixels: Pixels;
  /** x, y, z in pixels of this level. */
  readonly landmarks: Float32Array;
}

/** How far the lips' inner edge is read from inside the lips, so that no teeth come along. */
const LIP_MARGIN = 0.2;
const MARGIN = 0.08;
const LEVEL_SIZE_MIN = 24;

/** Cuts `face` out of `picture`, which can then be let go. */
export function cutSourceFace(picture: Pixels, face: Face): SourceFace {
  const area = clippedBox(picture, face);
  const levels: SourceLevel[] = [
    { pixels: copyArea(picture, area), landmarks: shifted(face.landmarks, -area.x, -area.y) },
  ];
  for (let last = levels[0]; last;) {
    const { pixels, landmarks } = last;
    if (Math.min(pixels.width, pixels.height) < 2 * LEVEL_SIZE_MIN) break;
    last = { pixels: halved(pixels), landmarks: landmarks.map((value) => value / 2) };
    levels.push(last);
  }
  const sizeBytes = levels.reduce((sum, level) => sum + level.pixels.data.length, 0);
  const { landmarks, yawDegrees } = face;
  return { levels, eyeDistance: eyeDistanceOf(landmarks), yawDegrees, sizeBytes };
}

/** The level whose size suits a target with this eye distance: shrinks by less than 1.5, so nothing aliases. */
export function levelFor(source: SourceFace, eyeDistance: number): SourceLevel {
  const shrink = Math.log2(source.eyeDistance / Math.max(eyeDistance, 1e-6));
  const wanted = Math.min(source.levels.length - 1, Math.max(0, Math.round(shrink - 0.1)));
  const level = source.levels[wanted];
  if (!level) throw new TypeError('Cannot warp a source face without pixels');
  return level;
}

/** Where to read a face with an open mouth: its landmarks with the lips' inner edge drawn a little into the lips. */
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

/** The picture at half its size; an odd last row or column is dropped. */
export function halved({ width, height, data }: Pixels): Pixels {
  const [halfWidth, halfHeight] = [width >> 1, height >> 1];
  const out = new Uint8Array(halfWidth * halfHeight * 4);
  for (let row = 0; row < halfHeight; row++) {
    for (let column = 0; column < halfWidth; column++) {
      const a = (row * 2 * width + column * 2) * 4;
      const b = a + width * 4;
      const to = (row * halfWidth + column) * 4;
      for (let channel = 0; channel < 4; channel++) {
        const sum =
          (data[a + channel] ?? 0) +
          (data[a + 4 + channel] ?? 0) +
          (data[b + channel] ?? 0) +
          (data[b + 4 + channel] ?? 0);
        out[to + channel] = (sum + 2) >> 2;
      }
    }
  }
  return { width: halfWidth, height: halfHeight, data: out };
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
