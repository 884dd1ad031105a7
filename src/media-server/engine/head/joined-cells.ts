import type { CoarseGrid } from '../swap/coarse-grid.ts';

/**
 * Returns 1 for the cells that `passes` accepts and that are connected, through other such cells, to a cell that
 * `starts` accepts, and 0 for all others.
 */
export function joinedCells(
  { columns, rows }: CoarseGrid,
  starts: (n: number) => boolean,
  passes: (n: number) => boolean,
): Float32Array {
  const joined = new Float32Array(columns * rows);
  const open: number[] = [];
  const visit = (n: number): void => {
    if (joined[n] !== 0 || !passes(n)) return;
    joined[n] = 1;
    open.push(n);
  };
  for (let n = 0; n < joined.length; n++) if (starts(n)) visit(n);
  for (let n = open.pop(); n !== undefined; n = open.pop()) {
    const column = n % columns;
    if (column > 0) visit(n - 1);
    if (column + 1 < columns) visit(n + 1);
    if (n >= columns) visit(n - columns);
    if (n + columns < joined.length) visit(n + columns);
  }
  return joined;
}
