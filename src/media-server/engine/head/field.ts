import { type CoarseGrid, shrunkField } from '../swap/coarse-grid.ts';

/** Reads fields of a grid at pixels in between, smoothly. */
export class FieldReader {
  readonly #grid: CoarseGrid;
  #above = 0;
  #below = 0;
  #down = 0;

  constructor(grid: CoarseGrid) {
    this.#grid = grid;
  }

  /** Turns to a row of pixels, counted from the top of the grid's area. */
  row(y: number): void {
    const { rows, cell, columns } = this.#grid;
    const at = Math.min(rows - 1, Math.max(0, (y + 0.5) / cell - 0.5));
    const top = Math.floor(at);
    this.#above = top * columns;
    this.#below = Math.min(rows - 1, top + 1) * columns;
    this.#down = at - top;
  }

  /** Fills `line` with the field's values along the row, one per pixel of the area from `start` to before `end`. */
  read(field: Float32Array, line: Float32Array, start = 0, end: number = this.#grid.area.width): void {
    const { columns, cell } = this.#grid;
    const [above, below, down] = [this.#above, this.#below, this.#down];
    for (let x = start; x < end; x++) {
      const at = Math.min(columns - 1, Math.max(0, (x + 0.5) / cell - 0.5));
      const left = at | 0;
      const right = left + 1 < columns ? left + 1 : left;
      const across = at - left;
      const upper = (1 - across) * (field[above + left] ?? 0) + across * (field[above + right] ?? 0);
      const lower = (1 - across) * (field[below + left] ?? 0) + across * (field[below + right] ?? 0);
      line[x] = (1 - down) * upper + down * lower;
    }
  }
}

/** `field` with every cell at the greatest value within about `cells` cells. */
export function grownField(field: Float32Array, grid: CoarseGrid, cells: number): Float32Array {
  return shrunkTimes(
    field.map((value) => -value),
    grid,
    cells,
  ).map((value) => -value);
}

/** `field` with every cell at the least value within about `cells` cells. */
export function shrunkTimes(field: Float32Array, grid: CoarseGrid, cells: number): Float32Array {
  let shrunk = field;
  for (let n = 0; n < Math.round(cells); n++) shrunk = shrunkField(shrunk, grid);
  return shrunk;
}
