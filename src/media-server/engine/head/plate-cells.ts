import type { Pixels } from '../pixels.ts';
import { type CellColours, type CoarseGrid, averageCells } from '../swap/coarse-grid.ts';

/** The number of cell sizes to keep. The cell size changes slowly with the size of the face. */
const SIZES_MAX = 3;

/** The mean colours of a fixed picture, for grids that are aligned to multiples of their cells. */
export class PlateCells {
  readonly #picture: Pixels;
  /** The cells of the whole picture, by their size. */
  readonly #known = new Map<number, { readonly grid: CoarseGrid; readonly colours: CellColours }>();

  constructor(picture: Pixels) {
    this.#picture = picture;
  }

  /** Returns the mean colours in the cells of `grid`. */
  of(grid: CoarseGrid): Pick<CellColours, 'luma' | 'cb' | 'cr'> {
    const { columns, rows, cell, area } = grid;
    const whole = this.#whole(cell);
    const [left, top] = [Math.round(area.x / cell), Math.round(area.y / cell)];
    const part = (field: Float32Array): Float32Array => {
      const out = new Float32Array(columns * rows);
      for (let row = 0; row < rows; row++) {
        const from = (top + row) * whole.grid.columns + left;
        out.set(field.subarray(from, from + columns), row * columns);
      }
      return out;
    };
    const { luma, cb, cr } = whole.colours;
    return { luma: part(luma), cb: part(cb), cr: part(cr) };
  }

  #whole(cell: number): { readonly grid: CoarseGrid; readonly colours: CellColours } {
    const known = this.#known.get(cell);
    if (known) return known;
    const { width, height } = this.#picture;
    const area = { x: 0, y: 0, width, height };
    const grid = { area, cell, columns: Math.ceil(width / cell), rows: Math.ceil(height / cell) };
    const made = { grid, colours: averageCells(this.#picture, area, grid) };
    if (this.#known.size >= SIZES_MAX) this.#known.clear();
    this.#known.set(cell, made);
    return made;
  }
}
