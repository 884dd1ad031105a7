import { type KernelUse, openKernels } from '../kernels/kernels.ts';
import type { CoarseGrid } from './coarse-grid.ts';
import type { Polygon } from './polygon.ts';

/** The number of values per edge that the kernel expects. */
const NUMBERS_PER_EDGE = 6;

/**
 * Returns the depth of every cell's centre inside the outlines (positive inside, the maximum of all outlines). It is
 * exact inside and up to at least `reach` pixels outside an outline, and -Infinity further away.
 */
export function depthField(grid: CoarseGrid, outlines: readonly Polygon[], reach: number): Float32Array {
  const size = grid.columns * grid.rows;
  const edges = Math.max(...outlines.map((outline) => outline.edges.length / 5));
  const use = openKernels(size * 4, edges * NUMBERS_PER_EDGE * 4);
  const field = new Float32Array(use.bytes.buffer, use.at[0], size).fill(-Infinity);
  for (const outline of outlines) deepen(use, grid, outline, reach);
  return field.slice();
}

function deepen({ kernels, bytes, at }: KernelUse, grid: CoarseGrid, outline: Polygon, reach: number): void {
  const { area, cell, columns, rows } = grid;
  const [fieldAt = 0, edgesAt = 0] = at;
  const count = outline.edges.length / 5;
  const edges = new Float32Array(bytes.buffer, edgesAt, count * NUMBERS_PER_EDGE);
  for (let n = 0; n < count; n++) {
    const [x = 0, y = 0, dx = 0, dy = 0, inverse = 0] = outline.edges.subarray(n * 5, n * 5 + 5);
    const from = [(x - area.x) / cell, (y - area.y) / cell, dx / cell, dy / cell];
    edges.set([...from, inverse * cell * cell, dx / dy], n * NUMBERS_PER_EDGE);
  }
  kernels.deepenField(
    fieldAt,
    columns,
    Math.max(0, Math.floor((outline.left - reach - area.x) / cell)),
    Math.min(columns, Math.floor((outline.right + reach - area.x) / cell) + 1),
    Math.max(0, Math.floor((outline.top - reach - area.y) / cell)),
    Math.min(rows, Math.floor((outline.bottom + reach - area.y) / cell) + 1),
    edgesAt,
    count,
    cell,
  );
}
