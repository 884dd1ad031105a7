import type { Pixels, Rect } from '../pixels.ts';

/**
 * A coarse raster over part of a picture. Everything smooth (mask, light, membrane) is worked out on it and
 * read back per pixel, which costs a hundredth of doing it at full size.
 */
export interface CoarseGrid {
  readonly area: Rect;
  /** Pixels along a cell's side. */
  readonly cell: number;
  readonly columns: number;
  readonly rows: number;
}

/** Mean colour per cell as Y, Cb, Cr (0 to 255, Cb and Cr around 0), and the covered share of the cell. */
export interface CellColours {
  readonly luma: Float32Array;
  readonly cb: Float32Array;
  readonly cr: Float32Array;
  readonly cover: Float32Array;
}

const CELLS_MAX = 96;

/** The grid over `area` with at most 96 cells along its longer side. */
export function coarseGrid(area: Rect): CoarseGrid {
  const cell = Math.max(1, Math.ceil(Math.max(area.width, area.height) / CELLS_MAX));
  return { area, cell, columns: Math.ceil(area.width / cell), rows: Math.ceil(area.height / cell) };
}

/** Picture coordinates of the middle of a cell. */
export function cellCentre(grid: CoarseGrid, column: number, row: number): { x: number; y: number } {
  return { x: grid.area.x + (column + 0.5) * grid.cell, y: grid.area.y + (row + 0.5) * grid.cell };
}

/** Averages the part of `picture` under the grid; pixels with alpha 0 count as not covered. */
export function averageCells(
  picture: Pixels,
  origin: { x: number; y: number },
  grid: CoarseGrid,
): CellColours {
  const { area, cell, columns, rows } = grid;
  const size = columns * rows;
  const luma = new Float32Array(size);
  const cb = new Float32Array(size);
  const cr = new Float32Array(size);
  const cover = new Float32Array(size);
  const { data, width } = picture;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const right = Math.min(area.width, (column + 1) * cell);
      const bottom = Math.min(area.height, (row + 1) * cell);
      let [red, green, blue, count] = [0, 0, 0, 0];
      for (let y = row * cell; y < bottom; y++) {
        let at = ((area.y - origin.y + y) * width + area.x - origin.x + column * cell) * 4;
        for (let x = column * cell; x < right; x++, at += 4) {
          if (data[at + 3] === 0) continue;
          red += data[at] ?? 0;
          green += data[at + 1] ?? 0;
          blue += data[at + 2] ?? 0;
          count++;
        }
      }
      const n = row * columns + column;
      const share = 1 / Math.max(count, 1);
      const y = (0.299 * red + 0.587 * green + 0.114 * blue) * share;
      luma[n] = y;
      cb[n] = 0.564 * (blue * share - y);
      cr[n] = 0.713 * (red * share - y);
      cover[n] = count / Math.max(1, (right - column * cell) * (bottom - row * cell));
    }
  }
  return { luma, cb, cr, cover };
}

/** Softens `field` in place by three box means of `radius` cells in both directions, close to a Gaussian. */
export function blurField(field: Float32Array, { columns, rows }: CoarseGrid, radius: number): void {
  const line = new Float32Array(Math.max(columns, rows));
  for (let pass = 0; pass < 3; pass++) {
    for (let row = 0; row < rows; row++) blurLine(field, row * columns, 1, columns, radius, line);
    for (let column = 0; column < columns; column++) blurLine(field, column, columns, rows, radius, line);
  }
}

/** `field` with every cell at the least value among itself and its eight neighbours. */
export function shrunkField(field: Float32Array, { columns, rows }: CoarseGrid): Float32Array {
  return field.map((_value, n) => {
    const column = n % columns;
    const row = (n - column) / columns;
    let least = Infinity;
    for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
      for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
        least = Math.min(least, field[y * columns + x] ?? 0);
      }
    }
    return least;
  });
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
