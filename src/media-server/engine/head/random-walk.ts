import type { CellColours, CoarseGrid } from '../swap/coarse-grid.ts';

/** Beside the likeness of colours, how much of a link is always there. */
const LINK_MIN = 0.004;
const OVER_RELAXATION = 1.5;

/** How alike neighbouring cells look: the links to the right and downwards, near 1 within one thing. */
export interface Links {
  readonly right: Float32Array;
  readonly down: Float32Array;
}

/** The links of a grid; an edge counts by how much stronger it is than the picture's usual change. */
export function linkCells({ columns, rows }: CoarseGrid, colours: CellColours): Links {
  const right = new Float32Array(columns * rows);
  const down = new Float32Array(columns * rows);
  let [sum, count] = [0, 0];
  for (let row = 0, n = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, n++) {
      if (column + 1 < columns) right[n] = distance(colours, n, n + 1);
      if (row + 1 < rows) down[n] = distance(colours, n, n + columns);
      sum += (right[n] ?? 0) + (down[n] ?? 0);
      count += 2;
    }
  }
  const sharpness = 1 / (0.5 * (sum / Math.max(count, 1)) + 8);
  for (let n = 0; n < right.length; n++) {
    right[n] = n % columns === columns - 1 ? 0 : LINK_MIN + Math.exp(-(right[n] ?? 0) * sharpness);
    down[n] = n >= columns * (rows - 1) ? 0 : LINK_MIN + Math.exp(-(down[n] ?? 0) * sharpness);
  }
  return { right, down };
}

/**
 * Lets `field` (0 to 1 per cell, in place) settle: every cell becomes the mean of its neighbours by their links and
 * of what its own colour says (`belief`, as strong as `trust`). This is the chance that a random walk from there
 * ends in the class.
 */
export function settle(
  { columns, rows }: CoarseGrid,
  links: Links,
  belief: { readonly value: Float32Array; readonly trust: Float32Array },
  field: Float32Array,
  sweeps: number,
): void {
  const { right, down } = links;
  const size = columns * rows;
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const backwards = sweep % 2 === 1;
    for (let step = 0; step < size; step++) {
      const n = backwards ? size - 1 - step : step;
      const own = belief.trust[n] ?? 0;
      const l = n > 0 ? (right[n - 1] ?? 0) : 0;
      const r = right[n] ?? 0;
      const u = n >= columns ? (down[n - columns] ?? 0) : 0;
      const d = down[n] ?? 0;
      const sum =
        own * (belief.value[n] ?? 0) +
        (l > 0 ? l * (field[n - 1] ?? 0) : 0) +
        (r > 0 ? r * (field[n + 1] ?? 0) : 0) +
        (u > 0 ? u * (field[n - columns] ?? 0) : 0) +
        (d > 0 ? d * (field[n + columns] ?? 0) : 0);
      const here = field[n] ?? 0;
      const wanted = sum / (own + l + r + u + d);
      field[n] = Math.min(1, Math.max(0, here + OVER_RELAXATION * (wanted - here)));
    }
  }
}

function distance({ luma, cb, cr }: CellColours, a: number, b: number): number {
  return (
    0.5 * ((luma[a] ?? 0) - (luma[b] ?? 0)) ** 2 +
    ((cb[a] ?? 0) - (cb[b] ?? 0)) ** 2 +
    ((cr[a] ?? 0) - (cr[b] ?? 0)) ** 2
  );
}
