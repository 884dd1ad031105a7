import { type CoarseGrid, shrunkField } from '../swap/coarse-grid.ts';

/** Reads fields of a grid at pixel positions, with linear interpolation. */
export class FieldReader {
  readonly #grid: CoarseGrid;
  readonly #mixed: Float32Array;
  #above = 0;
  #below = 0;
  #down = 0;

  constructor(grid: CoarseGrid) {
    this.#grid = grid;
    this.#mixed = new Float32Array(grid.columns);
  }

  /** Selects a row of pixels, counted from the top of the grid's area. */
  row(y: number): void {
    const { rows, cell, columns } = this.#grid;
    const at = Math.min(rows - 1, Math.max(0, (y + 0.5) / cell - 0.5));
    const top = Math.floor(at);
    this.#above = top * columns;
    this.#below = Math.min(rows - 1, top + 1) * columns;
    this.#down = at - top;
  }

  /** Returns whether the field has values other than 0 along the row. */
  shows(field: Float32Array): boolean {
    for (let column = 0; column < this.#mixed.length; column++) {
      if (field[this.#above + column] !== 0 || field[this.#below + column] !== 0) return true;
    }
    return false;
  }

  /**
   * Fills `line` with the field's values along the row, for the area's pixels from `start` (inclusive) to `end`
   * (exclusive).
   */
  read(field: Float32Array, line: Float32Array, start = 0, end: number = this.#grid.area.width): void {
    const { columns, cell } = this.#grid;
    const mixed = this.#mixed;
    const first = Math.max(0, Math.floor((start + 0.5) / cell - 0.5));
    const last = Math.min(columns - 1, Math.floor((end - 0.5) / cell - 0.5) + 1);
    for (let column = first; column <= last; column++) {
      const upper = field[this.#above + column] ?? 0;
      mixed[column] = upper + this.#down * ((field[this.#below + column] ?? 0) - upper);
    }
    // Between the centres of two cells the field is linear.
    for (let x = start, left = Math.floor((start + 0.5) / cell - 0.5); x < end; left++) {
      const stop = Math.min(end, Math.ceil((left + 1.5) * cell - 0.5));
      const from = mixed[Math.max(0, left)] ?? 0;
      const step = ((mixed[Math.min(columns - 1, left + 1)] ?? 0) - from) / cell;
      let value = from + ((x + 0.5) / cell - 0.5 - left) * cell * step;
      for (; x < stop; x++, value += step) line[x] = value;
    }
  }
}

/** Returns, for each cell, the maximum of `field` within about `cells` cells. */
export function grownField(field: Float32Array, grid: CoarseGrid, cells: number): Float32Array {
  const negative = shrunkTimes(negated(field), grid, cells);
  return negated(negative);
}

/** Returns, for each cell, the minimum of `field` within about `cells` cells. */
export function shrunkTimes(field: Float32Array, grid: CoarseGrid, cells: number): Float32Array {
  let shrunk = field;
  for (let n = 0; n < Math.round(cells); n++) shrunk = shrunkField(shrunk, grid);
  return shrunk;
}

function negated(field: Float32Array): Float32Array {
  const out = new Float32Array(field.length);
  for (let n = 0; n < out.length; n++) out[n] = -(field[n] ?? 0);
  return out;
}
