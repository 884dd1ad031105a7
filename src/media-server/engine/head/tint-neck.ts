import type { Pixels, Rect } from '../pixels.ts';
import { blurField } from '../swap/coarse-grid.ts';
import { smoothstep } from '../swap/polygon.ts';
import type { SkinTone } from '../swap/colour-match.ts';
import { fieldBounds } from './erase-head.ts';
import { FieldReader, grownField, shrunkTimes } from './field.ts';
import type { Hidden } from './hidden.ts';
import type { Neck } from './neck.ts';
import type { PersonParts } from './person-parts.ts';
import type { SkinTable } from './skin-table.ts';

/**
 * Gives the neck, and what other bare skin is joined to it, the tone of another person's, in place, but for what
 * will be `hidden`. Returns the part that may have changed.
 */
export function tintNeck(
  picture: Pixels,
  { grid }: PersonParts,
  neck: Neck,
  table: SkinTable,
  tones: { readonly from: SkinTone; readonly to: SkinTone },
  hidden: Hidden,
): Rect {
  const bare = neck.skin.map((value, n) => Math.max(value, neck.column[n] ?? 0));
  const share = grownField(bare, grid, 3);
  blurField(share, grid, 2);
  // Brightened, what shows through at a dark neck's edge would shine; darkened, it looks like shade.
  const inner = tones.to.luma > tones.from.luma ? shrunkTimes(bare, grid, 1) : bare;
  const core = inner.map((value) => smoothstep(0.45, 0.9, value));
  const [from, to] = [rgbOf(tones.from), rgbOf(tones.to)];
  const [redGain = 1, greenGain = 1, blueGain = 1] = to.map((value, n) => value / Math.max(from[n] ?? 0, 8));
  const [redMost = 0, greenMost = 0, blueMost = 0] = to.map((value) => 1.1 * value);
  const { area } = grid;
  const bounds = fieldBounds(share, grid);
  const [line, coreLine] = [new Float32Array(area.width), new Float32Array(area.width)];
  const reader = new FieldReader(grid);
  const { data } = picture;
  for (let y = bounds.y; y < bounds.y + bounds.height; y++) {
    reader.row(y);
    reader.read(share, line, bounds.x, bounds.x + bounds.width);
    reader.read(core, coreLine, bounds.x, bounds.x + bounds.width);
    const cover = hidden.row(area.y + y);
    for (let x = bounds.x; x < bounds.x + bounds.width; x++) {
      const near = line[x] ?? 0;
      if (near < 0.004 || cover[area.x + x] === 1) continue;
      const at = ((area.y + y) * picture.width + area.x + x) * 4;
      const red = data[at] ?? 0;
      const green = data[at + 1] ?? 0;
      const blue = data[at + 2] ?? 0;
      const sure = coreLine[x] ?? 0;
      const like = sure < near ? near * table.at(red, green, blue) : 0;
      const skin = like > sure ? like : sure;
      if (skin < 0.002) continue;
      data[at] = tinted(red, 1 + skin * (redGain - 1), redMost);
      data[at + 1] = tinted(green, 1 + skin * (greenGain - 1), greenMost);
      data[at + 2] = tinted(blue, 1 + skin * (blueGain - 1), blueMost);
    }
  }
  return { ...bounds, x: area.x + bounds.x, y: area.y + bounds.y };
}

/** Never brighter than `most` by the gain alone. */
function tinted(value: number, gain: number, most: number): number {
  const wanted = value * gain;
  const limit = value > most ? value : most;
  const less = wanted < limit ? wanted : limit;
  return (less < 254.5 ? less : 254.5) + 0.5;
}

function rgbOf({ luma, cb, cr }: SkinTone): readonly number[] {
  return [luma + 1.402 * cr, luma - 0.344 * cb - 0.714 * cr, luma + 1.772 * cb];
}
