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

/** Softens `field` in place by `times` passes of a 1-2-1 kernel in both directions. */
export function smoothField(field: Float32Array, grid: CoarseGrid, times: number): void {
  const { columns, rows } = grid;
  for (let pass = 0; pass < times; pass++) {
    for (let row = 0; row < rows; row++) smoothLine(field, row * columns, 1, columns);
    for (let column = 0; column < columns; column++) smoothLine(field, column, columns, rows);
  }
}

function smoothLine(field: Float32Array, start: number, step: number, count: number): void {
  let before = field[start] ?? 0;
  for (let n = 0, at = start; n < count; n++, at += step) {
    const here = field[at] ?? 0;
    const after = n + 1 < count ? (field[at + step] ?? 0) : here;
    field[at] = (before + 2 * here + after) / 4;
    before = here;
  }
}
