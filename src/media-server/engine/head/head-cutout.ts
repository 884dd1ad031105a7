import { shifted } from '../swap/shifted.ts';
import { type Face, eyeDistanceOf } from '../face/face.ts';
import type { Pixels, Rect } from '../pixels.ts';
import type { SkinTone } from '../swap/colour-match.ts';
import { smoothStep } from '../smooth-step.ts';
import { MOUTH_TRIANGLES } from '../swap/mouth-triangles.ts';
import { halved } from '../swap/shrunk.ts';
import { mouthOpening } from '../swap/target-shape.ts';
import { FieldReader } from './field-reader.ts';
import { cutMatte } from './cut-matte.ts';
import { coveredTriangles } from './covered-triangles.ts';
import { HEAD_TRIANGLES, withRings } from './head-mesh.ts';
import { findNeck } from './neck.ts';
import { findParts, learnColours } from './person-parts.ts';

/**
 * A head that can be put on other people: face, hair, ears and upper neck. Each level has half the size of the previous
 * one.
 */
export interface HeadCutout {
  readonly levels: readonly CutoutLevel[];
  /** Distance between the eyes in pixels of the first level. */
  readonly eyeDistance: number;
  readonly yawDegrees: number;
  readonly tone: SkinTone;
  /** How far the mouth is open; see `mouthOpening`. */
  readonly opening: number;
}

export interface CutoutLevel {
  /** The head's own colours, extended beyond its edge; alpha is 255. */
  readonly colour: Pixels;
  /** The red channel is how much of the pixel is head. It fades out down the neck. */
  readonly cover: Pixels;
  /** The points of the face and of the rings around it, in pixels of this level. */
  readonly points: Float32Array;
  /** The bounds of the covered pixels. */
  readonly bounds: Rect;
  /** The triangles that contain covered pixels, without and with the triangles of the mouth opening. */
  readonly triangles: Uint16Array;
  readonly trianglesWithMouth: Uint16Array;
}

/** The neck fades out between these distances below the jaw, in eye distances. */
const NECK_FROM = 0.05;
const NECK_TO = 0.45;
const LEVEL_SIZE_MIN = 96;

/** Cuts the head with this face out of `picture`. Takes about a second per megapixel. */
export function cutHead(picture: Pixels, face: Face): HeadCutout {
  const { landmarks, yawDegrees } = face;
  const eyeDistance = eyeDistanceOf(landmarks);
  const known = learnColours(picture, landmarks);
  const parts = findParts(picture, landmarks, known, 'finely');
  const matte = cutMatte(picture, parts, eyeDistance);
  const neck = findNeck(parts, landmarks, known);
  const fade = neck.below.map(
    (below, n) => smoothStep(NECK_FROM, NECK_TO, below) * (1 - clampUnit(1.3 * (neck.hair[n] ?? 0))),
  );
  const { width, height } = matte.area;
  const cover = new Uint8Array(width * height * 4);
  const fadeLine = new Float32Array(width);
  const reader = new FieldReader(parts.grid);
  for (let y = 0, n = 0; y < height; y++) {
    reader.row(y);
    reader.read(fade, fadeLine);
    for (let x = 0; x < width; x++, n++) {
      cover[n * 4] = 255 * (matte.alpha[n] ?? 0) * (1 - (fadeLine[x] ?? 0)) + 0.5;
      cover[n * 4 + 3] = 255;
    }
  }
  const points = withRings(shifted(landmarks, -matte.area.x, -matte.area.y));
  const first = {
    colour: { width, height, data: matte.colour },
    cover: { width, height, data: cover },
    points,
  };
  return {
    levels: halvings(first),
    eyeDistance,
    yawDegrees,
    tone: known.tone,
    opening: mouthOpening(landmarks),
  };
}

/**
 * Returns the level for a head with this eye distance. Drawing shrinks this level by a factor of less than 1.5, so
 * there is no aliasing.
 */
export function cutoutLevel(cutout: HeadCutout, eyeDistance: number): CutoutLevel {
  const shrink = Math.log2(cutout.eyeDistance / Math.max(eyeDistance, 1e-6));
  const wanted = Math.min(cutout.levels.length - 1, Math.max(0, Math.round(shrink - 0.1)));
  const level = cutout.levels[wanted];
  if (!level) throw new TypeError('Cannot draw a head without pixels');
  return level;
}

function halvings(first: Pick<CutoutLevel, 'colour' | 'cover' | 'points'>): CutoutLevel[] {
  const levels: CutoutLevel[] = [];
  for (let { colour, cover, points } = first; ;) {
    const triangles = coveredTriangles(points, HEAD_TRIANGLES, cover);
    const trianglesWithMouth = Uint16Array.from([...triangles, ...MOUTH_TRIANGLES]);
    levels.push({ colour, cover, points, bounds: coveredBounds(cover), triangles, trianglesWithMouth });
    if (Math.min(colour.width, colour.height) < 2 * LEVEL_SIZE_MIN) return levels;
    [colour, cover, points] = [halved(colour), halved(cover), points.map((value) => value / 2)];
  }
}

function coveredBounds({ width, height, data }: Pixels): Rect {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      if ((data[at] ?? 0) < 3) continue;
      left = Math.min(left, x);
      right = Math.max(right, x + 1);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y + 1);
    }
  }
  return { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

function clampUnit(value: number): number {
  return Math.min(1, Math.max(0, value));
}
