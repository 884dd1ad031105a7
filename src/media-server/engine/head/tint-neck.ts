import type { Pixels, Rect } from '../pixels.ts';
import { type CoarseGrid, blurField } from '../swap/coarse-grid.ts';
import { smoothStep } from '../smooth-step.ts';
import type { SkinTone } from '../swap/colour-match.ts';
import { type Erasure, fieldBounds } from './erase-head.ts';
import { FieldReader, grownField, shrunkTimes } from './field-reader.ts';
import type { Hidden } from './hidden.ts';
import type { CellFields } from './inpaint-cells.ts';
import type { Neck } from './neck.ts';
import type { SkinTable } from './skin-table.ts';

/**
 * Returns the share of bare skin in each cell after the head has been erased, 0 to 1: the neck, its continuation
 * upwards, and the skin that the plate shows instead of hair. `colours` are the plate's mean colours.
 */
export function bareSkin(
  neck: Neck,
  { share }: Erasure,
  colours: CellFields,
  table: SkinTable,
): Float32Array {
  return neck.skin.map((value, n) => {
    const own = Math.max(value, neck.column[n] ?? 0);
    const shown = share[n] ?? 0;
    if (own > 0.99 || shown < 0.01 || (neck.below[n] ?? 0) === 0) return own;
    const [luma = 0, cb = 0, cr = 0] = [colours.luma[n], colours.cb[n], colours.cr[n]];
    const [red = 0, green = 0, blue = 0] = rgbOf({ luma, cb, cr });
    return Math.max(own, shown * table.at(red, green, blue));
  });
}

/**
 * Changes the tone of `bare` skin (see `bareSkin`) to another person's, in place, except for pixels that will be
 * `hidden`. Returns the area that may have changed.
 */
export function tintNeck(
  picture: Pixels,
  grid: CoarseGrid,
  bare: Float32Array,
  table: SkinTable,
  tones: { readonly from: SkinTone; readonly to: SkinTone },
  hidden: Hidden,
): Rect {
  const share = grownField(bare, grid, 2);
  blurField(share, grid, 1);
  // Pixels at the edge are classified one by one, because cells there are partly background, and the background must
  // keep its colour.
  const inner = shrunkTimes(bare, grid, 1);
  blurField(inner, grid, 1);
  const core = inner.map((value) => smoothStep(0.45, 0.9, value));
  const [from, to] = [rgbOf(tones.from), rgbOf(tones.to)];
  const gains = to.map((value, n) => value / Math.max(from[n] ?? 0, 8));
  const tint = { table, gains, most: to.map((value) => 1.1 * value) };
  const { area } = grid;
  const bounds = fieldBounds(share, grid);
  const [line, coreLine] = [new Float32Array(area.width), new Float32Array(area.width)];
  const reader = new FieldReader(grid);
  for (let y = bounds.y; y < bounds.y + bounds.height; y++) {
    reader.row(y);
    reader.read(share, line, bounds.x, bounds.x + bounds.width);
    reader.read(core, coreLine, bounds.x, bounds.x + bounds.width);
    const cover = hidden.row(area.y + y);
    const first = ((area.y + y) * picture.width + area.x) * 4;
    for (let x = bounds.x, end = bounds.x + bounds.width; x < end; x++) {
      if (isShown(x, line, cover, area.x)) {
        const start = x;
        while (x < end && isShown(x, line, cover, area.x)) x++;
        tintRun(picture.data, first, { near: line, core: coreLine, start, end: x }, tint);
      }
    }
  }
  return { ...bounds, x: area.x + bounds.x, y: area.y + bounds.y };
}

function isShown(x: number, near: Float32Array, cover: Uint8Array, left: number): boolean {
  return (near[x] ?? 0) >= 0.004 && cover[left + x] === 0;
}

interface Tint {
  readonly table: SkinTable;
  /** The factors for red, green and blue (`gains`), and the values up to which they raise each channel (`most`). */
  readonly gains: readonly number[];
  readonly most: readonly number[];
}

/**
 * A run of pixels in a row: how close each one is to bare skin, and how certain it is that the pixel itself is skin.
 */
interface Run {
  readonly near: Float32Array;
  readonly core: Float32Array;
  readonly start: number;
  readonly end: number;
}

function tintRun(data: Uint8Array, first: number, run: Run, { table, gains, most }: Tint): void {
  const { near, core, start, end } = run;
  const [redGain = 1, greenGain = 1, blueGain = 1] = gains;
  const [redMost = 0, greenMost = 0, blueMost = 0] = most;
  for (let x = start, at = first + start * 4; x < end; x++, at += 4) {
    const red = data[at] ?? 0;
    const green = data[at + 1] ?? 0;
    const blue = data[at + 2] ?? 0;
    const sure = core[x] ?? 0;
    const reach = near[x] ?? 0;
    const like = sure < reach ? reach * table.at(red, green, blue) : 0;
    const skin = like > sure ? like : sure;
    if (skin < 0.002) continue;
    data[at] = tinted(red, 1 + skin * (redGain - 1), redMost);
    data[at + 1] = tinted(green, 1 + skin * (greenGain - 1), greenMost);
    data[at + 2] = tinted(blue, 1 + skin * (blueGain - 1), blueMost);
  }
}

/** The gain never raises a value above `most`; a value that is already higher stays as it is. */
function tinted(value: number, gain: number, most: number): number {
  const wanted = value * gain;
  const limit = value > most ? value : most;
  const less = wanted < limit ? wanted : limit;
  return (less < 254.5 ? less : 254.5) + 0.5;
}

function rgbOf({ luma, cb, cr }: Pick<SkinTone, 'luma' | 'cb' | 'cr'>): readonly number[] {
  return [luma + 1.402 * cr, luma - 0.344 * cb - 0.714 * cr, luma + 1.772 * cb];
}
