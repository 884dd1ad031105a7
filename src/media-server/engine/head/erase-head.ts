import type { Pixels, Rect } from '../pixels.ts';
import { type CoarseGrid, blurField, doubledField, halvedColours, halvedGrid } from '../swap/coarse-grid.ts';
import { stretchMembrane } from '../swap/membrane.ts';
import { smoothstep } from '../swap/polygon.ts';
import { FieldReader, grownField } from './field.ts';
import type { Hidden } from './hidden.ts';
import { type CellFields, inpaintCells, layersOf } from './inpaint-cells.ts';
import type { Neck } from './neck.ts';
import { type PersonParts, backgroundOf } from './person-parts.ts';
import type { PlateCells } from './plate-cells.ts';

/** So far beyond its edge, in eye distances, a head is erased with what shines through its hair. */
const MARGIN = 0.1;
/** Relaxations of the membranes, which change little from cell to cell. */
const QUICK = 2;
/** How far plate and picture may differ, in luma, before they are taken for different scenes. */
const TOLERANCE = 14;

/** How much of each cell is head and hair to take away, 0 to 1; the neck is left standing. */
export function headWithoutNeck({ head }: PersonParts, { below, hair }: Neck): Float32Array {
  return head.map((value, n) => {
    const kept = smoothstep(0, 0.07, below[n] ?? 0) * (1 - clampUnit(1.5 * (hair[n] ?? 0)));
    return value * (1 - kept);
  });
}

/** How much of each cell is erased: the head, and so far around it as it shines through its hair. */
export function erasedShare(parts: PersonParts, neck: Neck, eyeDistance: number): Float32Array {
  const { grid } = parts;
  const gone = headWithoutNeck(parts, neck);
  const grown = grownField(gone, grid, Math.ceil((MARGIN * eyeDistance) / grid.cell) + 2).map((value, n) => {
    const kept = smoothstep(0.3, 0.7, neck.skin[n] ?? 0) * smoothstep(0, 0.07, neck.below[n] ?? 0);
    return smoothstep(0.12, 0.5, value) * (1 - kept);
  });
  blurField(grown, grid, 1);
  return grown;
}

/** The scene without the head, see `PlateBuilder`. */
export interface Plate {
  readonly pixels: Pixels;
  readonly cells: PlateCells;
}

/**
 * Takes the head out of `picture`, in place: where `share` says, it shows the plate, brought to the picture's
 * present light; where the plate does not fit the picture, what lies around is continued instead. What will be
 * `hidden` is left as it is. Returns the part that may have changed.
 */
export function eraseHead(
  picture: Pixels,
  plate: Plate,
  parts: PersonParts,
  neck: Neck,
  share: Float32Array,
  hidden: Hidden,
): Rect {
  const { grid, body, colours } = parts;
  const clear = grownField(headWithoutNeck(parts, neck), grid, 3).map(
    (value) => 1 - smoothstep(0.05, 0.3, value),
  );
  const { fits, ...rest } = lightBetween(colours, plate.cells.of(grid), clear);
  const trust = smoothstep(0.3, 0.6, sum(fits) / Math.max(sum(clear), 1));
  const layers = layersOf(backgroundOf(parts), body, neck.skin);
  const around = trust < 1 ? inpaintCells(grid, colours, clear, layers) : undefined;
  const isNapeSeen = neck.column.some((up) => up > 0);
  const nape = isNapeSeen ? continued(grid, colours, napeShare(neck)) : undefined;
  const light = continued(grid, rest, fits);
  const added = CHANNELS.map((channel) =>
    light[channel].map((value, n) => {
      const up = neck.column[n] ?? 0;
      const other = (1 - trust) * (around?.[channel][n] ?? 0);
      return up * (nape?.[channel][n] ?? 0) + (1 - up) * (trust * value + other);
    }),
  );
  const plateShare = neck.column.map((up) => (1 - up) * trust);
  return fill(picture, plate.pixels, parts, { share, plateShare, added }, hidden);
}

const CHANNELS = ['luma', 'cb', 'cr'] as const;

/** What the picture is brighter than the plate, and how well they fit, where the picture is `clear` of the head. */
function lightBetween(
  { luma, cb, cr }: CellFields,
  under: CellFields,
  clear: Float32Array,
): CellFields & { readonly fits: Float32Array } {
  const size = clear.length;
  const off = {
    luma: new Float32Array(size),
    cb: new Float32Array(size),
    cr: new Float32Array(size),
    fits: new Float32Array(size),
  };
  for (let n = 0; n < size; n++) {
    const y = (luma[n] ?? 0) - (under.luma[n] ?? 0);
    const b = (cb[n] ?? 0) - (under.cb[n] ?? 0);
    const r = (cr[n] ?? 0) - (under.cr[n] ?? 0);
    const far = (y / TOLERANCE) ** 2 + (b * b + r * r) / 36;
    off.luma[n] = y;
    off.cb[n] = b;
    off.cr[n] = r;
    off.fits[n] = (clear[n] ?? 0) / (1 + far * far);
  }
  return off;
}

/** Continues three fields from where their weight is, on cells twice as large: they change little from one to the next. */
function continued(grid: CoarseGrid, { luma, cb, cr }: CellFields, weight: Float32Array): CellFields {
  const coarse = halvedGrid(grid);
  const { columns, rows } = coarse;
  const means = halvedColours({ luma, cb, cr, cover: weight }, grid, coarse);
  const stretched = (field: Float32Array): Float32Array =>
    doubledField(stretchMembrane(columns, rows, field, means.cover, QUICK), coarse, grid);
  return { luma: stretched(means.luma), cb: stretched(means.cb), cr: stretched(means.cr) };
}

/** Where the neck's own colours are seen. */
function napeShare({ skin, below }: Neck): Float32Array {
  return skin.map((value, n) => smoothstep(0.6, 0.95, value) * smoothstep(0.05, 0.12, below[n] ?? 0));
}

/** What takes the head's place: a share of the plate plus Y, Cb and Cr, shown as far as `share` says. */
interface Filling {
  readonly share: Float32Array;
  readonly plateShare: Float32Array;
  readonly added: readonly Float32Array[];
}

function fill(picture: Pixels, plate: Pixels, { grid }: PersonParts, filling: Filling, hidden: Hidden): Rect {
  const { area } = grid;
  const bounds = fieldBounds(filling.share, grid);
  const reader = new FieldReader(grid);
  const fields = [filling.share, filling.plateShare, ...filling.added];
  const lines = fields.map((field) => ({ field, line: new Float32Array(area.width) }));
  const [shares = NONE] = lines.map(({ line }) => line);
  const right = bounds.x + bounds.width;
  for (let y = bounds.y; y < bounds.y + bounds.height; y++) {
    reader.row(y);
    reader.read(filling.share, shares, bounds.x, right);
    const cover = hidden.row(area.y + y);
    const first = ((area.y + y) * picture.width + area.x) * 4;
    for (let x = bounds.x; x < right; x++) {
      if ((shares[x] ?? 0) < VISIBLE_MIN || cover[area.x + x] === 1) continue;
      const start = x;
      while (x < right && (shares[x] ?? 0) >= VISIBLE_MIN && cover[area.x + x] === 0) x++;
      for (const { field, line } of lines) if (line !== shares) reader.read(field, line, start, x);
      fillRun(picture.data, plate.data, first, lines, start, x);
    }
  }
  return { ...bounds, x: area.x + bounds.x, y: area.y + bounds.y };
}

const NONE = new Float32Array(0);
const VISIBLE_MIN = 0.004;

/** Fills the pixels from `start` to before `end` of the row that begins at `first`. */
function fillRun(
  data: Uint8Array,
  from: Uint8Array,
  first: number,
  [shares, plates, lumas, cbs, crs]: readonly { readonly line: Float32Array }[],
  start: number,
  end: number,
): void {
  if (!shares || !plates || !lumas || !cbs || !crs) return;
  for (let x = start, at = first + start * 4; x < end; x++, at += 4) {
    const show = shares.line[x] ?? 0;
    const part = plates.line[x] ?? 0;
    const l = lumas.line[x] ?? 0;
    const b = cbs.line[x] ?? 0;
    const r = crs.line[x] ?? 0;
    const red = part * (from[at] ?? 0) + l + 1.402 * r;
    const green = part * (from[at + 1] ?? 0) + l - 0.344 * b - 0.714 * r;
    const blue = part * (from[at + 2] ?? 0) + l + 1.772 * b;
    const under = 1 - show;
    data[at] = clampByte(under * (data[at] ?? 0) + show * red);
    data[at + 1] = clampByte(under * (data[at + 1] ?? 0) + show * green);
    data[at + 2] = clampByte(under * (data[at + 2] ?? 0) + show * blue);
  }
}

/** The pixels, counted from the area's corner, in which a field is not nearly 0. */
export function fieldBounds(field: Float32Array, { area, cell, columns }: PersonParts['grid']): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, 0, 0];
  for (let n = 0; n < field.length; n++) {
    if ((field[n] ?? 0) < 0.004) continue;
    const column = n % columns;
    const row = (n - column) / columns;
    left = Math.min(left, column - 1);
    right = Math.max(right, column + 2);
    top = Math.min(top, row - 1);
    bottom = Math.max(bottom, row + 2);
  }
  if (right === 0) return { x: 0, y: 0, width: 0, height: 0 };
  const [x, y] = [Math.max(0, left * cell), Math.max(0, top * cell)];
  return {
    x,
    y,
    width: Math.min(area.width, right * cell) - x,
    height: Math.min(area.height, bottom * cell) - y,
  };
}

function sum(values: Float32Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function clampUnit(value: number): number {
  return value <= 0 ? 0 : value >= 1 ? 1 : value;
}

function clampByte(value: number): number {
  return value <= 0 ? 0 : value >= 255 ? 255 : value + 0.5;
}
