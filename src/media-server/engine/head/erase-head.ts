import type { Pixels, Rect } from '../pixels.ts';
import { averageCells, blurField } from '../swap/coarse-grid.ts';
import { stretchMembrane } from '../swap/membrane.ts';
import { smoothstep } from '../swap/polygon.ts';
import { FieldReader, grownField } from './field.ts';
import { type CellFields, inpaintCells, layersOf } from './inpaint-cells.ts';
import type { Neck } from './neck.ts';
import { type PersonParts, backgroundOf } from './person-parts.ts';

/** So far beyond its edge, in eye distances, a head is erased with what shines through its hair. */
const MARGIN = 0.1;
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

/**
 * Takes the head out of `picture`, in place: where `share` says, it shows the plate, brought to the picture's
 * present light; where the plate does not fit the picture, what lies around is continued instead.
 */
export function eraseHead(
  picture: Pixels,
  plate: Pixels,
  parts: PersonParts,
  neck: Neck,
  share: Float32Array,
): void {
  const { grid, body, colours } = parts;
  const clear = grownField(headWithoutNeck(parts, neck), grid, 3).map(
    (value) => 1 - smoothstep(0.05, 0.3, value),
  );
  const under = averageCells(plate, { x: 0, y: 0 }, grid);
  const off = (channel: keyof CellFields): Float32Array =>
    colours[channel].map((value, n) => value - (under[channel][n] ?? 0));
  const [luma, cb, cr] = [off('luma'), off('cb'), off('cr')];
  const fits = clear.map((value, n) => {
    const far = ((luma[n] ?? 0) / TOLERANCE) ** 2 + ((cb[n] ?? 0) ** 2 + (cr[n] ?? 0) ** 2) / 36;
    return value / (1 + far * far);
  });
  const { columns, rows } = grid;
  const rest = [luma, cb, cr].map((values) => stretchMembrane(columns, rows, values, fits));
  const trust = smoothstep(0.3, 0.6, sum(fits) / Math.max(sum(clear), 1));
  const around =
    trust < 1
      ? inpaintCells(grid, colours, clear, layersOf(backgroundOf(parts), body, neck.skin))
      : undefined;
  const made = around && [around.luma, around.cb, around.cr];
  const nape = neckColours(parts, neck);
  fill(picture, plate, parts, { share, column: neck.column, nape, rest, made, trust });
}

/** The neck's own colours, continued. */
function neckColours({ grid, colours }: PersonParts, { skin, below }: Neck): readonly Float32Array[] {
  const sure = skin.map((value, n) => smoothstep(0.6, 0.95, value) * smoothstep(0.05, 0.12, below[n] ?? 0));
  return [colours.luma, colours.cb, colours.cr].map((values) =>
    stretchMembrane(grid.columns, grid.rows, values, sure),
  );
}

interface Filling {
  readonly share: Float32Array;
  /** Where the neck's colours, in Y, Cb and Cr, take the place of the plate. */
  readonly column: Float32Array;
  readonly nape: readonly Float32Array[];
  /** Added to the plate's Y, Cb, Cr. */
  readonly rest: readonly Float32Array[];
  /** Y, Cb, Cr to show in the plate's place. */
  readonly made: readonly Float32Array[] | undefined;
  readonly trust: number;
}

function fill(picture: Pixels, plate: Pixels, { grid }: PersonParts, filling: Filling): void {
  const { share, column, nape, rest, made, trust } = filling;
  const { area } = grid;
  const bounds = fieldBounds(share, grid);
  const reader = new FieldReader(grid);
  const fields = [share, column, ...nape, ...rest, ...(made ?? rest)];
  const lines = fields.map((field) => ({ field, line: new Float32Array(area.width) }));
  const [shares = NONE, columns = NONE, l0 = NONE, b0 = NONE, r0 = NONE, ...others] = lines.map(
    ({ line }) => line,
  );
  const [l1 = NONE, b1 = NONE, r1 = NONE, l2 = NONE, b2 = NONE, r2 = NONE] = others;
  const { data } = picture;
  for (let y = bounds.y; y < bounds.y + bounds.height; y++) {
    reader.row(y);
    for (const { field, line } of lines) reader.read(field, line);
    for (let x = bounds.x; x < bounds.x + bounds.width; x++) {
      const show = shares[x] ?? 0;
      if (show < 0.004) continue;
      const at = ((area.y + y) * picture.width + area.x + x) * 4;
      let [l, b, r] = [l1[x] ?? 0, b1[x] ?? 0, r1[x] ?? 0];
      let red = (plate.data[at] ?? 0) + l + 1.402 * r;
      let green = (plate.data[at + 1] ?? 0) + l - 0.344 * b - 0.714 * r;
      let blue = (plate.data[at + 2] ?? 0) + l + 1.772 * b;
      if (made) {
        [l, b, r] = [l2[x] ?? 0, b2[x] ?? 0, r2[x] ?? 0];
        red += (1 - trust) * (l + 1.402 * r - red);
        green += (1 - trust) * (l - 0.344 * b - 0.714 * r - green);
        blue += (1 - trust) * (l + 1.772 * b - blue);
      }
      const up = columns[x] ?? 0;
      if (up > 0) {
        [l, b, r] = [l0[x] ?? 0, b0[x] ?? 0, r0[x] ?? 0];
        red += up * (l + 1.402 * r - red);
        green += up * (l - 0.344 * b - 0.714 * r - green);
        blue += up * (l + 1.772 * b - blue);
      }
      data[at] = clampByte((data[at] ?? 0) * (1 - show) + show * red);
      data[at + 1] = clampByte((data[at + 1] ?? 0) * (1 - show) + show * green);
      data[at + 2] = clampByte((data[at + 2] ?? 0) * (1 - show) + show * blue);
    }
  }
}

const NONE = new Float32Array(0);

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
