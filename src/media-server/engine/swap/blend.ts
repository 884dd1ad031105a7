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
  const { area, cell, rows, columns } = grid;
  const { opacity, light, luma, cb, cr, eyes } = fields;
  const inputs = [opacity, light, luma, cb, cr, eyes];
  const line = new Float32Array(columns * FIELDS);
  const how = { line, grid, match, eyeGain };
  for (let y = 0; y < area.height; y++) {
    const gy = Math.min(rows - 1, Math.max(0, (y + 0.5) / cell - 0.5));
    const above = Math.floor(gy);
    mixRows(inputs, columns, above, Math.min(rows - 1, above + 1), gy - above, line);
    const first = ((area.y + y) * target.width + area.x) * 4;
    blendRow(target.data, first, warped, y * area.width * 4, how);
  }
}

interface RowBlend {
  /** The six fields per column, between the rows of the grid. */
  readonly line: Float32Array;
  readonly grid: CoarseGrid;
  readonly match: ColourMatch;
  readonly eyeGain: number;
}

function blendRow(
  data: Uint8Array,
  firstOut: number,
  warped: Uint8Array,
  firstAt: number,
  { line, grid, match, eyeGain }: RowBlend,
): void {
  const { curve, chromaGain, eyeChroma, eyeWhiteLuma } = match;
  const { cb: hueCb, cr: hueCr } = match.from;
  const { cb: tintCb, cr: tintCr } = match.to;
  const { cell, columns } = grid;
  const width = grid.area.width;
  const step = 1 / cell;
  // Between the middles of two cells all fields are straight lines.
  for (let x = 0, left = -1, end = 0; x < width; x = end, left++) {
    end = Math.min(width, Math.ceil((left + 1.5) * cell - 0.5));
    const a = Math.max(0, left) * FIELDS;
    const b = Math.min(columns - 1, left + 1) * FIELDS;
    const showA = line[a] ?? 0;
    const showB = (line[b] ?? 0) - showA;
    if (showA <= INVISIBLE && showA + showB <= INVISIBLE) continue;
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
    let f = (x + 0.5) * step - 0.5 - left;
    for (; x < end; x++, f += step) {
      const at = firstAt + x * 4;
      if (warped[at + 3] === 0) continue;
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
      const out = firstOut + x * 4;
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
