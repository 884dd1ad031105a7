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
  for (let y = 0; y < area.height; y++) {
    const gy = Math.min(rows - 1, Math.max(0, (y + 0.5) / cell - 0.5));
    const above = Math.floor(gy);
    mixRows(inputs, columns, above, Math.min(rows - 1, above + 1), gy - above, line);
    const from = y * area.width;
    const to = (area.y + y) * target.width + area.x;
    // Between the middles of two cells all fields are straight lines.
    for (let x = 0, left = -1; x < area.width; left++) {
      const end = Math.min(area.width, Math.ceil((left + 1.5) * cell - 0.5));
      const a = Math.max(0, left) * FIELDS;
      const b = Math.min(columns - 1, left + 1) * FIELDS;
      if ((line[a] ?? 0) > INVISIBLE || (line[b] ?? 0) > INVISIBLE) {
        const share = (x + 0.5) / cell - 0.5 - left;
        blendSpan(target.data, (to + x) * 4, warped, (from + x) * 4, end - x, {
          line,
          a,
          b,
          share,
          step: 1 / cell,
          match,
          eyeGain,
        });
      }
      x = end;
    }
  }
}

/** A stretch between the middles of two cells, whose fields begin at `a` and `b` of `line`. */
interface Span {
  readonly line: Float32Array;
  readonly a: number;
  readonly b: number;
  /** How far the first pixel is from `a` to `b`, and how much further each next one. */
  readonly share: number;
  readonly step: number;
  readonly match: ColourMatch;
  readonly eyeGain: number;
}

function blendSpan(
  data: Uint8Array,
  firstOut: number,
  warped: Uint8Array,
  firstAt: number,
  count: number,
  { line, a, b, share, step, match, eyeGain }: Span,
): void {
  const { curve, chromaGain, eyeChroma, eyeWhiteLuma } = match;
  const { cb: hueCb, cr: hueCr } = match.from;
  const { cb: tintCb, cr: tintCr } = match.to;
  const showA = line[a] ?? 0;
  const showB = (line[b] ?? 0) - showA;
  const litA = line[a + 1] ?? 0;
  const litB = (line[b + 1] ?? 0) - litA;
  const lumaA = line[a + 2] ?? 0;
  const lumaB = (line[b + 2] ?? 0) - lumaA;
  const cbA = line[a + 3] ?? 0;
  const cbB = (line[b + 3] ?? 0) - cbA;
  const crA = line[a + 4] ?? 0;
  const crB = (line[b + 4] ?? 0) - crA;
  const eyeA = line[a + 5] ?? 0;
  const eyeB = (line[b + 5] ?? 0) - eyeA;
  const nearEye = eyeA > 0 || eyeB > 0;
  for (let n = 0, at = firstAt, out = firstOut; n < count; n++, at += 4, out += 4) {
    if (warped[at + 3] === 0) continue;
    const f = share + n * step;
    const show = showA + f * showB;
    if (show <= INVISIBLE) continue;
    const red = warped[at] ?? 0;
    const blue = warped[at + 2] ?? 0;
    const y0 = 0.299 * red + 0.587 * (warped[at + 1] ?? 0) + 0.114 * blue;
    const cb0 = 0.564 * (blue - y0);
    const cr0 = 0.713 * (red - y0);
    const matched = curve[y0 | 0] ?? 0;
    const lit = litA + f * litB;
    // What is neutral in the source, such as the edge of an eye's white, must not turn blue or green.
    const skinCb = matched * tintCb + (cb0 - y0 * hueCb) * chromaGain;
    const skinCr = matched * tintCr + (cr0 - y0 * hueCr) * chromaGain;
    const cbMost = cb0 > 0 ? cb0 : 0;
    const crLeast = cr0 < 0 ? cr0 : 0;
    let newLuma = matched * lit + lumaA + f * lumaB;
    let newCb = (skinCb < cbMost ? skinCb : cbMost) + cbA + f * cbB;
    let newCr = (skinCr > crLeast ? skinCr : crLeast) + crA + f * crB;
    if (nearEye) {
      const eyeZone = eyeA + f * eyeB;
      const white = clampUnit((y0 - eyeWhiteLuma) / 20) * clampUnit(2 * eyeZone);
      const inside = clampUnit(5 * eyeZone - 4);
      const eye = white > inside ? white : inside;
      newLuma += eye * (y0 * eyeGain * (lit < 1 ? lit : 1) - newLuma);
      newCb += eye * (eyeChroma * cb0 - newCb);
      newCr += eye * (eyeChroma * cr0 - newCr);
    }
    const under = 1 - show;
    data[out] = clampByte(under * (data[out] ?? 0) + show * (newLuma + 1.402 * newCr));
    data[out + 1] = clampByte(
      under * (data[out + 1] ?? 0) + show * (newLuma - 0.344 * newCb - 0.714 * newCr),
    );
    data[out + 2] = clampByte(under * (data[out + 2] ?? 0) + show * (newLuma + 1.772 * newCb));
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
