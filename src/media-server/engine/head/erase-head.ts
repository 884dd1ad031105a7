import type { Pixels, Rect } from '../pixels.ts';
import { type CoarseGrid, blurField, doubledField, halvedColours, halvedGrid } from '../swap/coarse-grid.ts';
import { stretchMembrane } from '../swap/stretch-membrane.ts';
import { smoothStep } from '../smooth-step.ts';
import { FieldReader, grownField, shrunkTimes } from './field-reader.ts';
import type { Hidden } from './hidden.ts';
import { type CellFields, inpaintCells, layersOf } from './inpaint-cells.ts';
import type { Neck } from './neck.ts';
import { type PersonParts, backgroundOf } from './person-parts.ts';
import type { PlateCells } from './plate-cells.ts';
import type { SkinTable } from './skin-table.ts';

/**
 * The width, in eye distances, of the band around a head that is erased with it, because background is visible through
 * the hair there.
 */
const MARGIN = 0.1;
/**
 * Within `CLEAR_CELLS` cells of a head, the picture may contain the head's colours. Within `EDGE_CELLS` cells of the
 * neck's edge, hair may lie on the skin.
 */
const CLEAR_CELLS = 3;
const EDGE_CELLS = 2;
/**
 * The number of iterations per membrane. A few are enough, because a membrane's values change little from cell to cell.
 */
const QUICK = 2;
/** The luma difference (0 to 255) between plate and picture that halves a cell's confidence if its chroma matches. */
const TOLERANCE = 14;

/** Returns how much of each cell is head and hair to erase, 0 to 1. The neck stays. */
export function headWithoutNeck({ head }: PersonParts, { below, hair, behindHair }: Neck): Float32Array {
  return head.map((value, n) => {
    const taken = Math.max(hair[n] ?? 0, behindHair[n] ?? 0);
    const kept = smoothStep(0, 0.07, below[n] ?? 0) * (1 - clampUnit(1.5 * taken));
    return value * (1 - kept);
  });
}

/** The areas to erase, as shares per cell, 0 to 1. */
export interface Erasure {
  /** The head, and the band around it in which background is visible through its hair. */
  readonly share: Float32Array;
  /**
   * The part of `share` that is not erased where a pixel is skin. It is above 0 on the edge of the neck, where strands
   * of hair may lie on skin.
   */
  readonly edge: Float32Array;
  /** The confidence that no part of the head is visible. */
  readonly clear: Float32Array;
}

/** Returns the areas to erase in order to remove the head. */
export function erasureOf(parts: PersonParts, neck: Neck, eyeDistance: number): Erasure {
  const { grid } = parts;
  const near = grownField(headWithoutNeck(parts, neck), grid, CLEAR_CELLS);
  const further = Math.ceil((MARGIN * eyeDistance) / grid.cell) + 2 - CLEAR_CELLS;
  const grown = grownField(near, grid, further).map((value) => smoothStep(0.12, 0.5, value));
  const kept = neck.skin.map(
    (value, n) => smoothStep(0.3, 0.7, value) * smoothStep(0, 0.07, neck.below[n] ?? 0),
  );
  const inner = shrunkTimes(kept, grid, EDGE_CELLS);
  const share = grown.map((value, n) => value * (1 - (inner[n] ?? 0)));
  const edge = grown.map((value, n) => value * ((kept[n] ?? 0) - (inner[n] ?? 0)));
  blurField(share, grid, 1);
  blurField(edge, grid, 1);
  return { share, edge, clear: near.map((value) => 1 - smoothStep(0.05, 0.3, value)) };
}

/** The scene without the head; see `PlateBuilder`. */
export interface Plate {
  readonly pixels: Pixels;
  readonly cells: PlateCells;
}

/**
 * Erases the head in `picture`, in place: the area of `erasure` is replaced with the plate, adjusted to the picture's
 * current light. If the plate does not fit the picture, the surroundings are continued into the area instead. Pixels
 * that will be `hidden` are left as they are. Returns the area that may have changed.
 */
export function eraseHead(
  picture: Pixels,
  plate: Plate,
  parts: PersonParts,
  neck: Neck,
  erasure: Erasure,
  skin: SkinTable,
  hidden: Hidden,
): Rect {
  const { grid, body, colours } = parts;
  const { clear } = erasure;
  const { fits, ...rest } = lightBetween(colours, plate.cells.of(grid), clear);
  const trust = smoothStep(0.3, 0.6, sum(fits) / Math.max(sum(clear), 1));
  const layers = layersOf(backgroundOf(parts), body, neck.skin);
  const around = trust < 1 ? inpaintCells(grid, colours, clear, layers) : undefined;
  const isNapeSeen = neck.column.some((up) => up > 0);
  const nape = isNapeSeen ? continued(grid, colours, napeShare(neck)) : undefined;
  const light = continued(grid, rest, fits);
  const mixed = (channel: keyof CellFields): Float32Array => {
    const [own, below, beside] = [light[channel], nape?.[channel], around?.[channel]];
    return own.map((value, n) => {
      const up = neck.column[n] ?? 0;
      const level = trust * value + (beside ? (1 - trust) * (beside[n] ?? 0) : 0);
      return up === 0 ? level : up * (below?.[n] ?? 0) + (1 - up) * level;
    });
  };
  const [luma, cb, cr] = [mixed('luma'), mixed('cb'), mixed('cr')];
  const added = [
    luma.map((value, n) => value + 1.402 * (cr[n] ?? 0)),
    luma.map((value, n) => value - 0.344 * (cb[n] ?? 0) - 0.714 * (cr[n] ?? 0)),
    luma.map((value, n) => value + 1.772 * (cb[n] ?? 0)),
  ];
  const plateShare = neck.column.map((up) => (1 - up) * trust);
  return fill(picture, plate.pixels, parts, { erasure, skin, plateShare, added }, hidden);
}

/**
 * Returns how much brighter the picture is than the plate, and how well they match, where the picture is
 * `clear` of the head.
 */
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

/**
 * Continues three fields from the cells that have weight into those that have none. It works on cells twice as large,
 * because the fields are smooth.
 */
function continued(grid: CoarseGrid, { luma, cb, cr }: CellFields, weight: Float32Array): CellFields {
  const coarse = halvedGrid(grid);
  const { columns, rows } = coarse;
  const means = halvedColours({ luma, cb, cr, cover: weight }, grid, coarse);
  const stretched = (field: Float32Array): Float32Array =>
    doubledField(stretchMembrane(columns, rows, field, means.cover, QUICK), coarse, grid);
  return { luma: stretched(means.luma), cb: stretched(means.cb), cr: stretched(means.cr) };
}

/** Returns the share of each cell in which the neck's own colours are visible. */
function napeShare({ skin, below }: Neck): Float32Array {
  return skin.map((value, n) => smoothStep(0.6, 0.95, value) * smoothStep(0.05, 0.12, below[n] ?? 0));
}

/**
 * The replacement for the head: the plate's colours times `plateShare`, plus the `added` red, green and blue, drawn
 * with the opacity of `erasure`.
 */
interface Filling {
  readonly erasure: Erasure;
  readonly skin: SkinTable;
  readonly plateShare: Float32Array;
  readonly added: readonly Float32Array[];
}

function fill(picture: Pixels, plate: Pixels, { grid }: PersonParts, filling: Filling, hidden: Hidden): Rect {
  const { area } = grid;
  const { share, edge } = filling.erasure;
  const bounds = fieldBounds(share, grid);
  const reader = new FieldReader(grid);
  const fields = [share, filling.plateShare, ...filling.added];
  const lines = fields.map((field) => ({ field, line: new Float32Array(area.width) }));
  const [shares = NONE] = lines.map(({ line }) => line);
  const edges = new Float32Array(area.width);
  const right = bounds.x + bounds.width;
  for (let y = bounds.y; y < bounds.y + bounds.height; y++) {
    reader.row(y);
    reader.read(share, shares, bounds.x, right);
    const hasEdge = reader.shows(edge);
    const cover = hidden.row(area.y + y);
    const first = ((area.y + y) * picture.width + area.x) * 4;
    for (let x = bounds.x; x < right; x++) {
      if ((shares[x] ?? 0) < VISIBLE_MIN || cover[area.x + x] === 1) continue;
      const start = x;
      while (x < right && (shares[x] ?? 0) >= VISIBLE_MIN && cover[area.x + x] === 0) x++;
      for (const { field, line } of lines) if (line !== shares) reader.read(field, line, start, x);
      const run = { first, start, end: x };
      if (hasEdge) {
        reader.read(edge, edges, start, x);
        keepSkin(picture.data, shares, edges, filling.skin, run);
      }
      fillRun(picture.data, plate.data, lines, run);
    }
  }
  return { ...bounds, x: area.x + bounds.x, y: area.y + bounds.y };
}

const NONE = new Float32Array(0);
const VISIBLE_MIN = 0.004;

/** The pixels from `start` (inclusive) to `end` (exclusive) in the row that starts at byte `first`. */
interface Run {
  readonly first: number;
  readonly start: number;
  readonly end: number;
}

/** Reduces a run's shares by the edge's shares where pixels are skin. */
function keepSkin(
  data: Uint8Array,
  shares: Float32Array,
  edges: Float32Array,
  skin: SkinTable,
  { first, start, end }: Run,
): void {
  for (let x = start, at = first + start * 4; x < end; x++, at += 4) {
    const edge = edges[x] ?? 0;
    if (edge < VISIBLE_MIN) continue;
    const like = skin.at(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
    shares[x] = (shares[x] ?? 0) - edge * like;
  }
}

function fillRun(
  data: Uint8Array,
  from: Uint8Array,
  [shares, plates, reds, greens, blues]: readonly { readonly line: Float32Array }[],
  { first, start, end }: Run,
): void {
  if (!shares || !plates || !reds || !greens || !blues) return;
  for (let x = start, at = first + start * 4; x < end; x++, at += 4) {
    const show = shares.line[x] ?? 0;
    const part = plates.line[x] ?? 0;
    const red = part * (from[at] ?? 0) + (reds.line[x] ?? 0);
    const green = part * (from[at + 1] ?? 0) + (greens.line[x] ?? 0);
    const blue = part * (from[at + 2] ?? 0) + (blues.line[x] ?? 0);
    const under = 1 - show;
    data[at] = clampByte(under * (data[at] ?? 0) + show * red);
    data[at + 1] = clampByte(under * (data[at + 1] ?? 0) + show * green);
    data[at + 2] = clampByte(under * (data[at + 2] ?? 0) + show * blue);
  }
}

/**
 * Returns the bounds of the pixels in which a field is clearly above 0, relative to the top left corner of the grid's
 * area.
 */
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
