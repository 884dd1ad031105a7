import { copyRows, openKernels } from '../kernels/kernels.ts';
import type { Pixels, Rect } from '../pixels.ts';

/**
 * A coarse grid over a part of a picture. All smooth values (mask, light, membrane) are computed on it and
 * interpolated per pixel, which costs a hundredth of computing them at full size.
 */
export interface CoarseGrid {
  readonly area: Rect;
  /** The side of a cell in pixels. */
  readonly cell: number;
  readonly columns: number;
  readonly rows: number;
}

/** The mean colours of cells as Y, Cb, Cr (0 to 255, Cb and Cr centred on 0), and the covered share of each cell. */
export interface CellColours {
  readonly luma: Float32Array;
  readonly cb: Float32Array;
  readonly cr: Float32Array;
  readonly cover: Float32Array;
}

const CELLS_MAX = 72;

/** Returns a grid over `area` with at most 72 cells along its longer side. */
export function coarseGrid(area: Rect): CoarseGrid {
  const cell = Math.max(1, Math.ceil(Math.max(area.width, area.height) / CELLS_MAX));
  return { area, cell, columns: Math.ceil(area.width / cell), rows: Math.ceil(area.height / cell) };
}

/**
 * Returns the grid with cells twice as large. A grid of at most 36 cells along its longer side is returned as
 * it is.
 */
export function halvedGrid(grid: CoarseGrid): CoarseGrid {
  if (Math.max(grid.columns, grid.rows) <= CELLS_MAX / 2) return grid;
  const { area, columns, rows } = grid;
  return { area, cell: grid.cell * 2, columns: (columns + 1) >> 1, rows: (rows + 1) >> 1 };
}

/** Returns the means of `field`, a field of `fine`, in the cells of the halved grid. */
export function halvedField(field: Float32Array, fine: CoarseGrid, coarse: CoarseGrid): Float32Array {
  if (fine === coarse) return field;
  const out = new Float32Array(coarse.columns * coarse.rows);
  for (let row = 0, n = 0; row < coarse.rows; row++) {
    const a = row * 2 * fine.columns;
    const b = row * 2 + 1 < fine.rows ? a + fine.columns : a;
    for (let column = 0; column < coarse.columns; column++, n++) {
      const left = column * 2;
      const right = left + 1 < fine.columns ? left + 1 : left;
      const above = (field[a + left] ?? 0) + (field[a + right] ?? 0);
      out[n] = 0.25 * (above + (field[b + left] ?? 0) + (field[b + right] ?? 0));
    }
  }
  return out;
}

/** Returns the mean colours of the covered parts in the cells of the halved grid. */
export function halvedColours(colours: CellColours, fine: CoarseGrid, coarse: CoarseGrid): CellColours {
  if (fine === coarse) return colours;
  const cover = halvedField(colours.cover, fine, coarse);
  const mean = (field: Float32Array): Float32Array => {
    const covered = new Float32Array(field.length);
    for (let n = 0; n < field.length; n++) covered[n] = (field[n] ?? 0) * (colours.cover[n] ?? 0);
    const out = halvedField(covered, fine, coarse);
    for (let n = 0; n < out.length; n++) out[n] = (out[n] ?? 0) / Math.max(cover[n] ?? 0, 1e-6);
    return out;
  };
  return { luma: mean(colours.luma), cb: mean(colours.cb), cr: mean(colours.cr), cover };
}

/** Interpolates `field`, a field of the halved grid, linearly to the cells of `fine`. */
export function doubledField(field: Float32Array, coarse: CoarseGrid, fine: CoarseGrid): Float32Array {
  if (fine === coarse) return field;
  const out = new Float32Array(fine.columns * fine.rows);
  for (let row = 0, n = 0; row < fine.rows; row++) {
    const near = (row >> 1) * coarse.columns;
    const farRow = Math.min(coarse.rows - 1, Math.max(0, (row >> 1) + (row & 1 ? 1 : -1)));
    const far = farRow * coarse.columns;
    for (let column = 0; column < fine.columns; column++, n++) {
      const side = column >> 1;
      const other = Math.min(coarse.columns - 1, Math.max(0, side + (column & 1 ? 1 : -1)));
      out[n] =
        0.5625 * (field[near + side] ?? 0) +
        0.1875 * ((field[near + other] ?? 0) + (field[far + side] ?? 0)) +
        0.0625 * (field[far + other] ?? 0);
    }
  }
  return out;
}

/** Returns the centre of a cell in picture coordinates. */
export function cellCentre(grid: CoarseGrid, column: number, row: number): { x: number; y: number } {
  return { x: grid.area.x + (column + 0.5) * grid.cell, y: grid.area.y + (row + 0.5) * grid.cell };
}

/**
 * Averages the part of `picture` under the grid, using every second row if the cells are large. Pixels with
 * alpha 0 count as not covered.
 */
export function averageCells(
  picture: Pixels,
  origin: { x: number; y: number },
  grid: CoarseGrid,
): CellColours {
  const { area, cell, columns, rows } = grid;
  const size = columns * rows;
  const colours = {
    luma: new Float32Array(size),
    cb: new Float32Array(size),
    cr: new Float32Array(size),
    cover: new Float32Array(size),
  };
  const rowStep = cell < 4 ? 1 : 2;
  const rowBytes = area.width * 4;
  const { kernels, bytes, at } = openKernels(rowBytes * Math.ceil(cell / rowStep), columns * 16);
  const [sourceAt = 0, sumsAt = 0] = at;
  const sums = new Int32Array(bytes.buffer, sumsAt, columns * 4);
  const to = { bytes, at: sourceAt, stride: rowBytes };
  const stride = picture.width * 4;
  for (let row = 0; row < rows; row++) {
    const bottom = Math.min(area.height, (row + 1) * cell);
    const height = Math.ceil((bottom - row * cell) / rowStep);
    const first = (area.y - origin.y + row * cell) * stride + (area.x - origin.x) * 4;
    copyRows({ bytes: picture.data, at: first, stride: stride * rowStep }, to, rowBytes, height);
    sums.fill(0);
    kernels.addRowsToCells(sourceAt, area.width, height, cell, sumsAt);
    for (let column = 0, n = row * columns; column < columns; column++, n++) {
      const count = sums[column * 4 + 3] ?? 0;
      const share = 1 / Math.max(count, 1);
      const red = (sums[column * 4] ?? 0) * share;
      const blue = (sums[column * 4 + 2] ?? 0) * share;
      const luma = 0.299 * red + 0.587 * (sums[column * 4 + 1] ?? 0) * share + 0.114 * blue;
      colours.luma[n] = luma;
      colours.cb[n] = 0.564 * (blue - luma);
      colours.cr[n] = 0.713 * (red - luma);
      colours.cover[n] = count / (height * Math.min(cell, area.width - column * cell));
    }
  }
  return colours;
}

/**
 * Blurs `field` in place with three box filters of `radius` cells in both directions, which is close to a
 * Gaussian.
 */
export function blurField(field: Float32Array, { columns, rows }: CoarseGrid, radius: number): void {
  const line = new Float32Array(Math.max(columns, rows));
  for (let pass = 0; pass < 3; pass++) {
    for (let row = 0; row < rows; row++) blurLine(field, row * columns, 1, columns, radius, line);
    for (let column = 0; column < columns; column++) blurLine(field, column, columns, rows, radius, line);
  }
}

/** Returns, for each cell, the minimum of `field` in the cell and its eight neighbours. */
export function shrunkField(field: Float32Array, { columns, rows }: CoarseGrid): Float32Array {
  const across = new Float32Array(field.length);
  for (let row = 0, n = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, n++) {
      const left = column > 0 ? n - 1 : n;
      const right = column + 1 < columns ? n + 1 : n;
      across[n] = Math.min(field[left] ?? 0, field[n] ?? 0, field[right] ?? 0);
    }
  }
  const out = new Float32Array(field.length);
  for (let n = 0; n < out.length; n++) {
    const above = n >= columns ? n - columns : n;
    const below = n + columns < out.length ? n + columns : n;
    out[n] = Math.min(across[above] ?? 0, across[n] ?? 0, across[below] ?? 0);
  }
  return out;
}

function blurLine(
  field: Float32Array,
  start: number,
  step: number,
  count: number,
  radius: number,
  line: Float32Array,
): void {
  for (let n = 0; n < count; n++) line[n] = field[start + n * step] ?? 0;
  const last = count - 1;
  let sum = 0;
  for (let n = -radius; n <= radius; n++) sum += line[Math.min(last, Math.max(0, n))] ?? 0;
  for (let n = 0; n < count; n++) {
    field[start + n * step] = sum / (2 * radius + 1);
    sum += (line[Math.min(last, n + radius + 1)] ?? 0) - (line[Math.max(0, n - radius)] ?? 0);
  }
}
