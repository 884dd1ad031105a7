import { clamp } from '../clamp.ts';
import type { BlendFields } from './blend-face.ts';
import {
  type CellColours,
  type CoarseGrid,
  blurField,
  doubledField,
  halvedColours,
  halvedField,
  halvedGrid,
  shrunkField,
} from './coarse-grid.ts';
import {
  type ColourMatch,
  type SkinTone,
  colourfulness,
  matchColours,
  skinLikeness,
  skinTone,
} from './colour-match.ts';
import type { FaceMask, FaceZones } from './face-mask.ts';
import { SurfaceFit } from './surface-fit.ts';
import { stretchMembrane } from './stretch-membrane.ts';

const RIM_OPACITY_MAX = 0.6;
const RIM_LUMA_SIGMA = 26;
const RIM_CHROMA_SIGMA = 9;
/**
 * The share of the target lips' tone that the new lips take on. If the skin tones differ, the lips take on more of the
 * target's hue.
 */
const LIP_SHARE = 0.35;
/** The radius of local light, as a share of the face's longer side. */
const LOCAL_LIGHT_RADIUS = 0.06;
const LOCAL_LIGHT_SHARE = 0.8;

/** The parameters for blending a warped face into the target. */
export interface BlendPlan {
  readonly fields: BlendFields;
  readonly match: ColourMatch;
  readonly eyeGain: number;
}

/** A face and the target picture under it, as cells of a grid. */
interface BlendInput {
  readonly grid: CoarseGrid;
  readonly mask: FaceMask;
  /** The zones of the face, on the halved grid. */
  readonly zones: FaceZones;
  /** The colours of the target and of the warped face. */
  readonly under: CellColours;
  readonly over: CellColours;
}

/** Computes mask, colour and light. Smooth fields are computed on the halved grid. */
export function planBlend(input: BlendInput): BlendPlan {
  const { grid, mask, zones } = input;
  const coarse = halvedGrid(grid);
  const under = halvedColours(input.under, grid, coarse);
  const over = halvedColours(input.over, grid, coarse);
  const targetTone = skinTone(under, zones.skin);
  const sourceTone = skinTone(over, zones.skin);
  const opacity = withoutHair(input, coarse, targetTone, sourceTone);
  const match = matchColours(sourceTone, targetTone);
  const matched = applyMatch(over, match);
  const targetSkin = skinLikeness(under, targetTone, 'face');
  const sourceSkin = skinLikeness(over, sourceTone, 'face');
  const trust = zones.skin.map((skin, n) => skin * (targetSkin[n] ?? 0) * (sourceSkin[n] ?? 0));
  const surfaces = new SurfaceFit(coarse, trust);
  const light = fitLight(coarse, surfaces, under, matched, trust);
  for (let n = 0; n < light.length; n++) matched.luma[n] = (matched.luma[n] ?? 0) * (light[n] ?? 1);
  const tintCb = fitTint(surfaces, under.cb, matched.cb);
  const tintCr = fitTint(surfaces, under.cr, matched.cr);
  const rim = rimWeights(halvedField(opacity, grid, coarse), under, matched);
  const contrast = Math.abs(Math.log((targetTone.luma + 1) / (sourceTone.luma + 1)));
  const lipHueShare = Math.min(0.9, LIP_SHARE + 0.7 * contrast + 1 - colourfulness(sourceTone));
  const rest = (channel: 'luma' | 'cb' | 'cr', tint?: Float32Array): Float32Array => {
    const off = difference(under[channel], matched[channel]);
    const share = channel === 'luma' ? LIP_SHARE : lipHueShare;
    const from = tone(matched[channel], zones.lips);
    const lips = share * ((tone(under[channel], zones.targetLips) ?? from ?? 0) - (from ?? 0));
    const membrane = stretchMembrane(coarse.columns, coarse.rows, off, rim);
    const added = doubledField(tint ? sum(membrane, tint) : membrane, coarse, grid);
    return added.map((value, n) => value + lips * (mask.lips[n] ?? 0));
  };
  const fields = {
    opacity,
    light: doubledField(light, coarse, grid),
    luma: rest('luma'),
    cb: rest('cb', tintCb),
    cr: rest('cr', tintCr),
    eyes: mask.eyes,
  };
  return { fields, match, eyeGain: eyeGain(mask.eyes, input.under, input.over) };
}

/**
 * Returns the opacity without hair. On forehead and temples, the swapped face is visible only where both faces have
 * bare skin. On the rim, it is visible only where the source has skin, because neither the background behind a cheek
 * nor hair on the cheek may be copied.
 */
function withoutHair(
  { grid, mask, zones, under, over }: BlendInput,
  coarse: CoarseGrid,
  targetTone: SkinTone,
  sourceTone: SkinTone,
): Float32Array {
  const hairZone = doubledField(zones.hairZone, coarse, grid);
  const rim = doubledField(zones.rim, coarse, grid);
  const targetSkin = skinLikeness(under, targetTone, 'bare', hairZone);
  const sourceSkin = skinLikeness(over, sourceTone, 'bare', hairZone);
  const sourceFace = skinLikeness(over, sourceTone, 'face', rim);
  const bare = hairZone.map((zone, n) => {
    const both = Math.min(1, 1.3 * (targetSkin[n] ?? 0)) * Math.min(1, 1.3 * (sourceSkin[n] ?? 0));
    const onRim = rim[n] ?? 0;
    return (1 - zone * (1 - both)) * (1 - onRim * (1 - Math.min(1, 1.3 * (sourceFace[n] ?? 0))));
  });
  const kept = shrunkField(shrunkField(bare, grid), grid);
  blurField(kept, grid, 1);
  return mask.opacity.map((value, n) => value * (kept[n] ?? 1));
}

function applyMatch(over: CellColours, { curve, chromaGain, from, to }: ColourMatch): CellColours {
  const luma = over.luma.map((value) => curve[value | 0] ?? 0);
  const chroma = (channel: 'cb' | 'cr'): Float32Array =>
    over[channel].map((value, n) => {
      const old = over.luma[n] ?? 0;
      return (luma[n] ?? 0) * to[channel] + (value - old * from[channel]) * chromaGain;
    });
  return { luma, cb: chroma('cb'), cr: chroma('cr'), cover: over.cover };
}

/** Returns the colour of the target's light and adds it to `matched` in place. */
function fitTint(surfaces: SurfaceFit, under: Float32Array, matched: Float32Array): Float32Array {
  const tint = surfaces.fit(difference(under, matched), 6, 14);
  for (let n = 0; n < matched.length; n++) matched[n] = (matched[n] ?? 0) + (tint[n] ?? 0);
  return tint;
}

/**
 * Returns the target's light on the source's skin: a broad surface plus the remaining differences, softened.
 */
function fitLight(
  grid: CoarseGrid,
  surfaces: SurfaceFit,
  under: CellColours,
  matched: CellColours,
  trust: Float32Array,
): Float32Array {
  const ratio = under.luma.map((value, n) => Math.log((value + 8) / ((matched.luma[n] ?? 0) + 8)));
  const broad = surfaces.fit(ratio, 0.2, 0.7);
  const rest = difference(ratio, broad).map((value, n) => clamp(value, -0.3, 0.3) * (trust[n] ?? 0));
  const weight = Float32Array.from(trust);
  const radius = Math.max(1, Math.round(Math.max(grid.columns, grid.rows) * LOCAL_LIGHT_RADIUS));
  blurField(rest, grid, radius);
  blurField(weight, grid, radius);
  return broad.map((value, n) => {
    const local = (rest[n] ?? 0) / ((weight[n] ?? 0) + 0.02);
    return Math.exp(value + LOCAL_LIGHT_SHARE * local);
  });
}

/**
 * Returns weights for the samples on the rim. The more similar target and warped face are at a sample, the higher its
 * weight, so that hair or glasses on the rim do not tint the face.
 */
function rimWeights(opacity: Float32Array, under: CellColours, matched: CellColours): Float32Array {
  return opacity.map((value, n) => {
    if (value > RIM_OPACITY_MAX || (matched.cover[n] ?? 0) < 0.5) return 0;
    const luma = ((under.luma[n] ?? 0) - (matched.luma[n] ?? 0)) / RIM_LUMA_SIGMA;
    const cb = ((under.cb[n] ?? 0) - (matched.cb[n] ?? 0)) / RIM_CHROMA_SIGMA;
    const cr = ((under.cr[n] ?? 0) - (matched.cr[n] ?? 0)) / RIM_CHROMA_SIGMA;
    return Math.exp(-(luma * luma + cb * cb + cr * cr)) * (1 - value);
  });
}

/** Returns the weighted mean of `values`, or `undefined` if the total weight is too small. */
function tone(values: Float32Array, weight: Float32Array): number | undefined {
  let sum = 0;
  let total = 0;
  for (let n = 0; n < values.length; n++) {
    sum += (values[n] ?? 0) * (weight[n] ?? 0);
    total += weight[n] ?? 0;
  }
  return total < 1 ? undefined : sum / total;
}

function sum(a: Float32Array, b: Float32Array): Float32Array {
  return a.map((value, n) => value + (b[n] ?? 0));
}

function difference(a: Float32Array, b: Float32Array): Float32Array {
  return a.map((value, n) => value - (b[n] ?? 0));
}

/**
 * Returns the gain of the eyes. How bright the white of the eye looks depends only on the light, so the brightest eye
 * cells determine the gain.
 */
function eyeGain(eyes: Float32Array, under: CellColours, over: CellColours): number {
  const ratio = brightest(under.luma, eyes) / Math.max(brightest(over.luma, eyes), 1);
  return Math.min(1.25, Math.max(0.75, ratio || 1));
}

function brightest(luma: Float32Array, weight: Float32Array): number {
  const inside: number[] = [];
  for (let n = 0; n < luma.length; n++) if ((weight[n] ?? 0) > 0.9) inside.push(luma[n] ?? 0);
  inside.sort((a, b) => a - b);
  return inside[Math.floor(inside.length * 0.9)] ?? 0;
}
