import { eyeDistanceOf } from '../face/face.ts';
import { INNER_LIPS, TRIANGLES } from '../face/mesh-topology.ts';
import type { Pixels, Rect } from '../pixels.ts';
import { type BlendFields, blendFace } from './blend.ts';
import { type CellColours, type CoarseGrid, averageCells, coarseGrid, smoothField } from './coarse-grid.ts';
import { type ColourMatch, matchColours, skinLikeness, skinTone } from './colour-match.ts';
import { type FaceMask, faceMask } from './face-mask.ts';
import { fitSmoothSurface } from './light-fit.ts';
import { stretchMembrane } from './membrane.ts';
import { type SourceFace, levelFor } from './source-face.ts';
import { mouthOpening, targetShape } from './target-shape.ts';
import { warpTriangles } from './triangle-warp.ts';

const MOUTH_CLOSED_MAX = 0.08;
const RIM_OPACITY_MAX = 0.6;
const RIM_LUMA_SIGMA = 26;
const RIM_CHROMA_SIGMA = 9;

/** Puts faces on faces, frame by frame, reusing its buffers. Pure on pixels: same input, same output. */
export class FaceSwapper {
  #warped = new Uint8Array(0);

  /**
   * Puts `source` on the face with these landmarks in `target`, in place, and returns the part of the picture
   * that may have changed; every byte outside it, and all alpha, stays. Undefined when the face lies outside.
   */
  swap(target: Pixels, landmarks: Float32Array, source: SourceFace): Rect | undefined {
    const { pixels, landmarks: from } = levelFor(source, eyeDistanceOf(landmarks));
    const shape = targetShape(landmarks, from);
    const area = clippedBounds(shape, target);
    if (!area) return undefined;
    const mouthClosed = mouthOpening(landmarks) < MOUTH_CLOSED_MAX;
    const coverMouth = mouthClosed && mouthOpening(from) < 2 * MOUTH_CLOSED_MAX;
    const warped = this.#scratch(area.width * area.height * 4);
    warpTriangles(pixels, { from, to: shape, triangles: coverMouth ? WITH_MOUTH : TRIANGLES }, area, warped);
    const grid = coarseGrid(area);
    const under = averageCells(target, { x: 0, y: 0 }, grid);
    const over = averageCells({ ...area, data: warped }, area, grid);
    const mask = faceMask(grid, shape, landmarks, !mouthClosed);
    const plan = planBlend(grid, mask, under, over);
    blendFace(target, warped, grid, plan.fields, plan.match, plan.eyeGain);
    return area;
  }

  #scratch(length: number): Uint8Array {
    if (this.#warped.length < length) this.#warped = new Uint8Array(length);
    return this.#warped;
  }
}

interface BlendPlan {
  readonly fields: BlendFields;
  readonly match: ColourMatch;
  readonly eyeGain: number;
}

/** Decides mask, colour and light from the coarse colours of the target `under` and the warped face `over`. */
function planBlend(grid: CoarseGrid, mask: FaceMask, under: CellColours, over: CellColours): BlendPlan {
  const targetTone = skinTone(under, mask.skin);
  const sourceTone = skinTone(over, mask.skin);
  const targetSkin = skinLikeness(under, targetTone);
  const sourceSkin = skinLikeness(over, sourceTone);
  const opacity = withoutHair(grid, mask, targetSkin, sourceSkin);
  const match = matchColours(sourceTone, targetTone);
  const matched = applyMatch(over, match);
  const trust = mask.skin.map((skin, n) => skin * (targetSkin[n] ?? 0) * (sourceSkin[n] ?? 0));
  const light = fitLight(grid, under, matched, trust);
  for (let n = 0; n < light.length; n++) matched.luma[n] = (matched.luma[n] ?? 0) * (light[n] ?? 1);
  const rim = rimWeights(opacity, under, matched);
  const membrane = (channel: 'luma' | 'cb' | 'cr'): Float32Array =>
    stretchMembrane(grid.columns, grid.rows, difference(under[channel], matched[channel]), rim);
  const fields = {
    opacity,
    light,
    luma: membrane('luma'),
    cb: membrane('cb'),
    cr: membrane('cr'),
    eyes: mask.eyes,
  };
  return { fields, match, eyeGain: eyeGain(mask.eyes, under, over) };
}

/** Forehead and temples show the swapped face only where both people have bare skin there. */
function withoutHair(
  grid: CoarseGrid,
  mask: FaceMask,
  targetSkin: Float32Array,
  sourceSkin: Float32Array,
): Float32Array {
  const bare = mask.hairZone.map((zone, n) => {
    const both = Math.min(1, 1.3 * (targetSkin[n] ?? 0)) * Math.min(1, 1.3 * (sourceSkin[n] ?? 0));
    return 1 - zone * (1 - both);
  });
  smoothField(bare, grid, 3);
  return mask.opacity.map((value, n) => value * (bare[n] ?? 1));
}

function applyMatch(over: CellColours, { curve, chromaGain, from, to }: ColourMatch): CellColours {
  return {
    luma: over.luma.map((value) => curve[value | 0] ?? 0),
    cb: over.cb.map((value) => to.cb + (value - from.cb) * chromaGain),
    cr: over.cr.map((value) => to.cr + (value - from.cr) * chromaGain),
    cover: over.cover,
  };
}

function fitLight(
  grid: CoarseGrid,
  under: CellColours,
  matched: CellColours,
  trust: Float32Array,
): Float32Array {
  const ratio = under.luma.map((value, n) => Math.log((value + 8) / ((matched.luma[n] ?? 0) + 8)));
  return fitSmoothSurface(grid, ratio, trust, 0.12, 0.6).map((value) => Math.exp(value));
}

/** Rim samples count by how alike both sides are, so that hair or glasses on the rim do not stain the face. */
function rimWeights(opacity: Float32Array, under: CellColours, matched: CellColours): Float32Array {
  return opacity.map((value, n) => {
    if (value > RIM_OPACITY_MAX || (matched.cover[n] ?? 0) < 0.5) return 0;
    const luma = ((under.luma[n] ?? 0) - (matched.luma[n] ?? 0)) / RIM_LUMA_SIGMA;
    const cb = ((under.cb[n] ?? 0) - (matched.cb[n] ?? 0)) / RIM_CHROMA_SIGMA;
    const cr = ((under.cr[n] ?? 0) - (matched.cr[n] ?? 0)) / RIM_CHROMA_SIGMA;
    return Math.exp(-(luma * luma + cb * cb + cr * cr)) * (1 - value);
  });
}

function difference(a: Float32Array, b: Float32Array): Float32Array {
  return a.map((value, n) => value - (b[n] ?? 0));
}

/** The white of the eyes answers to the light only, so the brightest eye cells set the gain. */
function eyeGain(eyes: Float32Array, under: CellColours, over: CellColours): number {
  const ratio = brightest(under.luma, eyes) / Math.max(brightest(over.luma, eyes), 1);
  return Math.min(1.25, Math.max(0.75, ratio || 1));
}

function brightest(luma: Float32Array, weight: Float32Array): number {
  const inside: number[] = [];
  for (let n = 0; n < luma.length; n++) if ((weight[n] ?? 0) > 0.8) inside.push(luma[n] ?? 0);
  inside.sort((a, b) => a - b);
  return inside[Math.floor(inside.length * 0.9)] ?? 0;
}

function clippedBounds(shape: Float32Array, picture: Pixels): Rect | undefined {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < shape.length; at += 3) {
    left = Math.min(left, shape[at] ?? 0);
    right = Math.max(right, shape[at] ?? 0);
    top = Math.min(top, shape[at + 1] ?? 0);
    bottom = Math.max(bottom, shape[at + 1] ?? 0);
  }
  const x = Math.max(0, Math.floor(left));
  const y = Math.max(0, Math.floor(top));
  const width = Math.min(picture.width, Math.ceil(right)) - x;
  const height = Math.min(picture.height, Math.ceil(bottom)) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

/** Between closed lips no gap may show, so the opening is covered as well. */
const WITH_MOUTH: Uint16Array = Uint16Array.from([...TRIANGLES, ...mouthTriangles()]);

function mouthTriangles(): number[] {
  const last = INNER_LIPS.length - 1;
  const corners: number[] = [];
  for (let n = 0; n < last / 2; n++) {
    const [a = 0, b = 0] = [INNER_LIPS[n], INNER_LIPS[n + 1]];
    const [c = 0, d = 0] = [INNER_LIPS[(last + 1 - n) % (last + 1)], INNER_LIPS[last - n]];
    corners.push(a, b, d, a, d, c);
  }
  return corners;
}
