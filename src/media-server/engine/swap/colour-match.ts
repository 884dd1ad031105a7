import { clamp } from '../clamp.ts';
import type { CellColours } from './coarse-grid.ts';
import { smoothStep } from '../smooth-step.ts';

/** The typical colour of a face's skin. */
export interface SkinTone {
  readonly luma: number;
  readonly cb: number;
  readonly cr: number;
}

/** A mapping from the source's skin tone to the target's. */
export interface ColourMatch {
  /** The luma from which a pixel beside the eye counts as the white of the eye rather than skin. */
  readonly eyeWhiteLuma: number;
  /** The new luma for each old luma from 0 to 255. */
  readonly curve: Float32Array;
  /**
   * New chroma = new luma * `to` + (old chroma - old luma * `from`) * `chromaGain`. The tint is proportional to luma;
   * otherwise dark brows and lashes would take on the hue opposite to the skin's.
   */
  readonly chromaGain: number;
  /** The factor on the eyes' own chroma. It is 0 if the target is a black-and-white picture. */
  readonly eyeChroma: number;
  readonly from: Hue;
  readonly to: Hue;
}

/** Cb and Cr of skin in proportion to luma. */
interface Hue {
  readonly cb: number;
  readonly cr: number;
}

/**
 * How far a cell's colour may be from the tone: `rough` for a first estimate, `face` for skin with shadows and stubble,
 * `bare` for bare skin only.
 */
const REACH = {
  rough: { luma: 60, chroma: 24 },
  face: { luma: 60, chroma: 14 },
  bare: { luma: 34, chroma: 12 },
};

/**
 * Returns the tone of the cells with `weight`: their weighted medians, computed twice. The second pass only uses cells
 * near the first result, so that a fringe, glasses or a beard do not shift it.
 */
export function skinTone(colours: CellColours, weight: Float32Array): SkinTone {
  const rough = medians(colours, weight);
  const close = weight.map((value, n) => value * likeness(colours, n, rough, REACH.rough));
  return medians(colours, close);
}

/**
 * Returns, for each cell, how similar the cell's colour is to skin of this tone, 0 to 1. The result is 0 wherever
 * `asked` is 0.
 */
export function skinLikeness(
  colours: CellColours,
  tone: SkinTone,
  reach: keyof typeof REACH,
  asked?: Float32Array,
): Float32Array {
  const like = new Float32Array(colours.luma.length);
  for (let n = 0; n < like.length; n++) {
    if (asked?.[n] !== 0) like[n] = likeness(colours, n, tone, REACH[reach]);
  }
  return like;
}

/**
 * Matches tones the way a change of light does: values darker than the skin are scaled (brows stay dark), brighter ones
 * are shifted (shine stays shine). Gains are limited, so that a wrong tone has limited effects.
 */
export function matchColours(from: SkinTone, to: SkinTone): ColourMatch {
  const ratio = clamp(to.luma / Math.max(from.luma, 1), 0.4, 2.2);
  const matched = clamp(from.luma * ratio, 0, 255);
  const headroom = (250 - matched) / Math.max(250 - from.luma, 1);
  const shine = clamp(Math.min(ratio ** 0.8, headroom), 0.3, 1.2);
  const curve = new Float32Array(256);
  for (let value = 0; value < 256; value++) {
    const above = value - from.luma;
    curve[value] = matched + (above < 0 ? above * ratio : above * shine);
  }
  return {
    eyeWhiteLuma: from.luma * 1.15 + 6,
    curve: rounded(curve),
    chromaGain: clamp(ratio, 0.7, 1.5) * colourfulness(to),
    eyeChroma: colourfulness(to),
    from: hueOf(from),
    to: hueOf(to),
  };
}

/** Returns 1 for skin in a colour picture and 0 in a black-and-white one. */
export function colourfulness({ cb, cr }: SkinTone): number {
  return smoothStep(2, 8, Math.hypot(cb, cr));
}

function hueOf({ luma, cb, cr }: SkinTone): Hue {
  return { cb: cb / Math.max(luma, 16), cr: cr / Math.max(luma, 16) };
}

/** Smooths the kink in the curve at the skin's own luma. */
function rounded(curve: Float32Array): Float32Array {
  const reach = 6;
  return curve.map((value, at) => {
    if (at < reach || at > 255 - reach) return value;
    let sum = 0;
    for (let n = at - reach; n <= at + reach; n++) sum += curve[n] ?? 0;
    return sum / (2 * reach + 1);
  });
}

function likeness(
  { luma, cb, cr, cover }: CellColours,
  n: number,
  tone: SkinTone,
  width: { luma: number; chroma: number },
): number {
  if ((cover[n] ?? 0) < 0.5) return 0;
  const off = (luma[n] ?? 0) - tone.luma;
  // Shine on skin is common, so the difference of a brighter value counts half as much.
  const dy = (off > 0 ? off / 2 : off) / (width.luma * (0.5 + tone.luma / 255));
  const db = (cb[n] ?? 0) - tone.cb;
  const dr = (cr[n] ?? 0) - tone.cr;
  const far = dy * dy + (db * db + dr * dr) / (width.chroma * width.chroma);
  return 1 / (1 + far * far);
}

function medians({ luma, cb, cr }: CellColours, weight: Float32Array): SkinTone {
  return {
    luma: weightedMedian(luma, weight, 0),
    cb: weightedMedian(cb, weight, 128),
    cr: weightedMedian(cr, weight, 128),
  };
}

function weightedMedian(values: Float32Array, weight: Float32Array, offset: number): number {
  const bins = new Float64Array(1024);
  let total = 0;
  for (let n = 0; n < values.length; n++) {
    const w = weight[n] ?? 0;
    if (w === 0) continue;
    const bin = clamp(Math.round(((values[n] ?? 0) + offset) * 4), 0, 1023);
    bins[bin] = (bins[bin] ?? 0) + w;
    total += w;
  }
  let sum = 0;
  for (let bin = 0; bin < bins.length; bin++) {
    sum += bins[bin] ?? 0;
    if (sum * 2 >= total) return bin / 4 - offset;
  }
  return 128 - offset;
}
