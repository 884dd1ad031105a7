import type { Pixels } from '../pixels.ts';
import { blurField } from '../swap/coarse-grid.ts';
import { smoothstep } from '../swap/polygon.ts';
import type { SkinTone } from '../swap/colour-match.ts';
import { fieldBounds } from './erase-head.ts';
import { FieldReader, grownField, shrunkTimes } from './field.ts';
import type { Neck } from './neck.ts';
import type { PersonParts } from './person-parts.ts';
import type { SkinTable } from './skin-table.ts';

/** Gives the neck, and what other bare skin is joined to it, the tone of another person's, in place. */
export function tintNeck(
  picture: Pixels,
  { grid }: PersonParts,
  neck: Neck,
  table: SkinTable,
  tones: { readonly from: SkinTone; readonly to: SkinTone },
): void {
  const bare = neck.skin.map((value, n) => Math.max(value, neck.column[n] ?? 0));
  const share = grownField(bare, grid, 3);
  blurField(share, grid, 2);
  // Brightened, what shows through at a dark neck's edge would shine; darkened, it looks like shade.
  const inner = tones.to.luma > tones.from.luma ? shrunkTimes(bare, grid, 1) : bare;
  const core = inner.map((value) => smoothstep(0.45, 0.9, value));
  const [from, to] = [rgbOf(tones.from), rgbOf(tones.to)];
  const gain = to.map((value, n) => value / Math.max(from[n] ?? 0, 8));
  const bounds = fieldBounds(share, grid);
  const [line, coreLine] = [new Float32Array(grid.area.width), new Float32Array(grid.area.width)];
  const reader = new FieldReader(grid);
  const { data } = picture;
  for (let y = bounds.y; y < bounds.y + bounds.height; y++) {
    reader.row(y);
    reader.read(share, line, bounds.x, bounds.x + bounds.width);
    reader.read(core, coreLine, bounds.x, bounds.x + bounds.width);
    for (let x = bounds.x; x < bounds.x + bounds.width; x++) {
      const near = line[x] ?? 0;
      if (near < 0.004) continue;
      const at = ((grid.area.y + y) * picture.width + grid.area.x + x) * 4;
      const like = table.at(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
      const skin = Math.max(coreLine[x] ?? 0, near * like);
      for (let channel = 0; channel < 3; channel++) {
        const value = data[at + channel] ?? 0;
        const brightest = Math.max(value, 1.1 * (to[channel] ?? 0));
        const tinted = value * (1 + skin * ((gain[channel] ?? 1) - 1));
        data[at + channel] = Math.min(254.5, brightest, tinted) + 0.5;
      }
    }
  }
}

function rgbOf({ luma, cb, cr }: SkinTone): readonly number[] {
  return [luma + 1.402 * cr, luma - 0.344 * cb - 0.714 * cr, luma + 1.772 * cb];
}
