import type { CoarseGrid } from './coarse-grid.ts';
import type { Polygon } from './polygon.ts';

const BLOCK = 4;

/**
 * Depth of every cell's middle under the outlines (positive inside, the greatest of all), exact to `reach` pixels on
 * either side of them; further off it is only sure to be further, -Infinity where nothing is near.
 */
export function depthField(grid: CoarseGrid, outlines: readonly Polygon[], reach: number): Float32Array {
  const field = new Float32Array(grid.columns * grid.rows).fill(-Infinity);
  for (const outline of outlines) deepen(field, grid, outline, reach);
  return field;
}

function deepen(field: Float32Array, grid: CoarseGrid, outline: Polygon, reach: number): void {
  const { area, cell, columns, rows } = grid;
  const firstColumn = Math.max(0, Math.floor((outline.left - reach - area.x) / cell));
  const lastColumn = Math.min(columns - 1, Math.floor((outline.right + reach - area.x) / cell));
  const firstRow = Math.max(0, Math.floor((outline.top - reach - area.y) / cell));
  const lastRow = Math.min(rows - 1, Math.floor((outline.bottom + reach - area.y) / cell));
  const far = reach + cell * BLOCK * Math.SQRT1_2;
  for (let top = firstRow; top <= lastRow; top += BLOCK) {
    const bottom = Math.min(lastRow + 1, top + BLOCK);
    for (let left = firstColumn; left <= lastColumn; left += BLOCK) {
      const right = Math.min(lastColumn + 1, left + BLOCK);
      const middle = outline.depth(area.x + (left + BLOCK / 2) * cell, area.y + (top + BLOCK / 2) * cell);
      for (let row = top; row < bottom; row++) {
        const y = area.y + (row + 0.5) * cell;
        for (let column = left; column < right; column++) {
          const n = row * columns + column;
          const here = Math.abs(middle) > far ? middle : outline.depth(area.x + (column + 0.5) * cell, y);
          if (here > (field[n] ?? 0)) field[n] = here;
        }
      }
    }
  }
}
