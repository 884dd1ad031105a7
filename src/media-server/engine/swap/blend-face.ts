import { copyRows, openKernels } from '../kernels/kernels.ts';
import type { Pixels } from '../pixels.ts';
import type { CoarseGrid } from './coarse-grid.ts';
import type { ColourMatch } from './colour-match.ts';

/** The parameters of the warped face, per cell of the grid. */
export interface BlendFields {
  /** The opacity of the face, 0 to 1. Where it is 0, the target's bytes stay unchanged. */
  readonly opacity: Float32Array;
  /** The factor on luma that applies the target's light. The eyes are only darkened, never brightened. */
  readonly light: Float32Array;
  /** The values to add to luma, Cb and Cr. */
  readonly luma: Float32Array;
  readonly cb: Float32Array;
  readonly cr: Float32Array;
  /**
   * How much of the cell is eye; see `FaceMask.eyes`. Eyes are scaled by `eyeGain` instead of the skin's colour match.
   */
  readonly eyes: Float32Array;
}

const FIELDS = 6;
/** The size of a strip of rows, which fits into the processor's cache. */
const STRIP_BYTES = 131_072;

/** Blends `warped` (RGBA of the grid's area, alpha 0 where there is no face) into `target`, in place. */
export function blendFace(
  target: Pixels,
  warped: Uint8Array,
  grid: CoarseGrid,
  fields: BlendFields,
  match: ColourMatch,
  eyeGain: number,
): void {
  const { area, cell, rows, columns } = grid;
  const stride = (area.width + 3) & -4;
  const stripRows = Math.max(1, Math.floor(STRIP_BYTES / (stride * 4)));
  const stripBytes = stripRows * stride * 4;
  const { curve, chromaGain, eyeChroma, eyeWhiteLuma, from, to } = match;
  const planeBytes = rows * columns * 4;
  const linesBytes = 2 * FIELDS * stride * 4;
  const { kernels, bytes, at } = openKernels(
    stripBytes,
    stripBytes,
    FIELDS * planeBytes,
    curve.byteLength,
    32,
    linesBytes,
  );
  const [targetAt = 0, warpedAt = 0, fieldsAt = 0, curveAt = 0, matchAt = 0, linesAt = 0] = at;
  const floats = new Float32Array(bytes.buffer);
  const { opacity, light, luma, cb, cr, eyes } = fields;
  for (const [n, field] of [opacity, light, luma, cb, cr, eyes].entries()) {
    floats.set(field, (fieldsAt + n * planeBytes) / 4);
  }
  floats.set(curve, curveAt / 4);
  const hues = [from.cb, from.cr, to.cb, to.cr];
  floats.set([chromaGain, eyeChroma, eyeWhiteLuma, ...hues, eyeGain], matchAt / 4);
  const rowBytes = area.width * 4;
  for (let first = 0; first < area.height; first += stripRows) {
    const last = Math.min(area.height, first + stripRows);
    const picture = {
      bytes: target.data,
      at: ((area.y + first) * target.width + area.x) * 4,
      stride: target.width * 4,
    };
    const strip = { bytes, at: targetAt, stride: stride * 4 };
    copyRows(picture, strip, rowBytes, last - first);
    const face = { bytes: warped, at: first * rowBytes, stride: rowBytes };
    copyRows(face, { ...strip, at: warpedAt }, rowBytes, last - first);
    kernels.blendRows(
      targetAt,
      warpedAt,
      area.width,
      stride,
      first,
      last,
      fieldsAt,
      rows,
      columns,
      cell,
      curveAt,
      matchAt,
      linesAt,
    );
    copyRows(strip, picture, rowBytes, last - first);
  }
}
