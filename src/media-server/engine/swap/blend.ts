import type { Pixels } from '../pixels.ts';
import type { CoarseGrid } from './coarse-grid.ts';
import type { ColourMatch } from './colour-match.ts';

/** What to do with the warped face, per cell of the grid. */
export interface BlendFields {
  /** How much of it shows, 0 to 1; at 0 the target keeps its exact bytes. */
  readonly opacity: Float32Array;
  /** Factor on luma that gives it the target's light; eyes are only ever shaded by it. */
  readonly light: Float32Array;
  /** Added to luma, Cb and Cr. */
  readonly luma: Float32Array;
  readonly cb: Float32Array;
  readonly cr: Float32Array;
  /** See `FaceMask.eyes`: they are scaled by `eyeGain` instead of the skin's colour match. */
  readonly eyes: Float32Array;
}

const FIELDS = 6;
const INVISIBLE = 1 / 512;

/** Blends `warped` (RGBA of the grid's area, alpha 0 where the face is missing) into `target`, in place. */
export function blendFace(
  target: Pixels,
  warped: Uint8Array,
  grid: CoarseGrid,
  fields: BlendFields,
  match: ColourMatch,
  eyeGain: number,
): void {
  const { area, cell, columns, rows } = grid;
  const { opacity, light, luma, cb, cr, eyes } = fields;
  const inputs = [opacity, light, luma, cb, cr, eyes];
  const line = new Float32Array(columns * FIELDS);
  const { curve, chromaGain, eyeChroma, eyeWhiteLuma } = match;
  const { cb: hueCb, cr: hueCr } = match.from;
  const { cb: tintCb, cr: tintCr } = match.to;
  for (let y = 0; y < area.height; y++) {
    const gy = Math.min(rows - 1, Math.max(0, (y + 0.5) / cell - 0.5));
    mixRows(
      inputs,
      columns,
      Math.floor(gy),
      Math.min(rows - 1, Math.floor(gy) + 1),
      gy - Math.floor(gy),
      line,
    );
    let at = y * area.width * 4;
    let out = ((area.y + y) * target.width + area.x) * 4;
    for (let x = 0; x < area.width; x++, at += 4, out += 4) {
      if (warped[at + 3] === 0) continue;
      const gx = Math.min(columns - 1, Math.max(0, (x + 0.5) / cell - 0.5));
      const left = Math.floor(gx);
      const a = left * FIELDS;
      const b = left + 1 < columns ? a + FIELDS : a;
      const f = gx - left;
      const e = 1 - f;
      const show = e * (line[a] ?? 0) + f * (line[b] ?? 0);
      if (show <= INVISIBLE) continue;
      const red = warped[at] ?? 0;
      const green = warped[at + 1] ?? 0;
      const blue = warped[at + 2] ?? 0;
      const y0 = 0.299 * red + 0.587 * green + 0.114 * blue;
      const cb0 = 0.564 * (blue - y0);
      const cr0 = 0.713 * (red - y0);
      const eyeZone = e * (line[a + 5] ?? 0) + f * (line[b + 5] ?? 0);
      const white = clampUnit((y0 - eyeWhiteLuma) / 20) * clampUnit(2 * eyeZone);
      const eye = Math.max(white, clampUnit(5 * eyeZone - 4));
      const matched = curve[y0 | 0] ?? 0;
      const lit = e * (line[a + 1] ?? 0) + f * (line[b + 1] ?? 0);
      const skinLuma = matched * lit;
      // What is neutral in the source, such as the edge of an eye's white, must not turn blue or green.
      const skinCb = Math.min(matched * tintCb + (cb0 - y0 * hueCb) * chromaGain, cb0 > 0 ? cb0 : 0);
      const skinCr = Math.max(matched * tintCr + (cr0 - y0 * hueCr) * chromaGain, cr0 < 0 ? cr0 : 0);
      const keep = 1 - eye;
      const newLuma =
        eye * y0 * eyeGain * (lit < 1 ? lit : 1) +
        keep * (skinLuma + e * (line[a + 2] ?? 0) + f * (line[b + 2] ?? 0));
      const newCb = eye * eyeChroma * cb0 + keep * (skinCb + e * (line[a + 3] ?? 0) + f * (line[b + 3] ?? 0));
      const newCr = eye * eyeChroma * cr0 + keep * (skinCr + e * (line[a + 4] ?? 0) + f * (line[b + 4] ?? 0));
      const { data } = target;
      const under = 1 - show;
      data[out] = clampByte(under * (data[out] ?? 0) + show * (newLuma + 1.402 * newCr));
      data[out + 1] = clampByte(
        under * (data[out + 1] ?? 0) + show * (newLuma - 0.344 * newCb - 0.714 * newCr),
      );
      data[out + 2] = clampByte(under * (data[out + 2] ?? 0) + show * (newLuma + 1.772 * newCb));
    }
  }
}

function mixRows(
  inputs: readonly Float32Array[],
  columns: number,
  above: number,
  below: number,
  share: number,
  line: Float32Array,
): void {
  for (let field = 0; field < FIELDS; field++) {
    const values = inputs[field];
    if (!values) continue;
    for (let column = 0; column < columns; column++) {
      line[column * FIELDS + field] =
        (1 - share) * (values[above * columns + column] ?? 0) +
        share * (values[below * columns + column] ?? 0);
    }
  }
}

function clampUnit(value: number): number {
  return value <= 0 ? 0 : value >= 1 ? 1 : value;
}

function clampByte(value: number): number {
  return value <= 0 ? 0 : value >= 255 ? 255 : value + 0.5;
}
