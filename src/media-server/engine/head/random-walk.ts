import type { CellColours, CoarseGrid } from '../swap/coarse-grid.ts';

/** The minimum strength of a link. It is added to the similarity of colours. */
const LINK_MIN = 0.004;
const OVER_RELAXATION = 1.5;

/** The links of each cell to the cells on its right and below it: their similarity, close to 1 within one object. */
export interface Links {
  readonly right: Float32Array;
  readonly down: Float32Array;
}

/** Returns the links of a grid. An edge weakens a link by its strength relative to the usual change in the picture. */
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

/** The probability of each of two classes per cell, 0 to 1, judging by the cell's colour, and how much to trust it. */
interface Beliefs {
  readonly first: Float32Array;
  readonly second: Float32Array;
  readonly trust: Float32Array;
}

/**
 * Returns, for each cell, the probability that a random walk from the cell ends in each class. It is the weighted mean
 * of the neighbours' probabilities, weighted by the links, and the cell's own belief, weighted by its trust.
 */
export function settle(
  grid: CoarseGrid,
  links: Links,
  beliefs: Beliefs,
  sweeps: number,
): { first: Float32Array; second: Float32Array } {
  const [first, second] = [Float32Array.from(beliefs.first), Float32Array.from(beliefs.second)];
  const { columns } = grid;
  const { right, down } = links;
  const size = first.length;
  const given = new Float32Array(size * 2);
  const relaxation = new Float32Array(size);
  for (let n = 0; n < size; n++) {
    const own = beliefs.trust[n] ?? 0;
    const left = n > 0 ? (right[n - 1] ?? 0) : 0;
    const up = n >= columns ? (down[n - columns] ?? 0) : 0;
    relaxation[n] = OVER_RELAXATION / (own + left + (right[n] ?? 0) + up + (down[n] ?? 0));
    given[n * 2] = own * (beliefs.first[n] ?? 0);
    given[n * 2 + 1] = own * (beliefs.second[n] ?? 0);
  }
  const walk = { first, second, given, relaxation, right, down, columns };
  for (let sweep = 0; sweep < sweeps; sweep++) {
    if (sweep % 2 === 0) for (let n = 0; n < size; n++) step(walk, n);
    else for (let n = size - 1; n >= 0; n--) step(walk, n);
  }
  return { first, second };
}

interface Walk {
  readonly first: Float32Array;
  readonly second: Float32Array;
  readonly given: Float32Array;
  readonly relaxation: Float32Array;
  readonly right: Float32Array;
  readonly down: Float32Array;
  readonly columns: number;
}

/** Updates cell `n` once. Links beyond the grid have strength 0. */
function step({ first, second, given, relaxation, right, down, columns }: Walk, n: number): void {
  const west = n > 0 ? n - 1 : n;
  const east = n + 1 < first.length ? n + 1 : n;
  const north = n >= columns ? n - columns : n;
  const south = n + columns < first.length ? n + columns : n;
  const l = n > 0 ? (right[west] ?? 0) : 0;
  const r = right[n] ?? 0;
  const u = n >= columns ? (down[north] ?? 0) : 0;
  const d = down[n] ?? 0;
  const share = relaxation[n] ?? 0;
  const firstSum =
    (given[n * 2] ?? 0) +
    l * (first[west] ?? 0) +
    r * (first[east] ?? 0) +
    u * (first[north] ?? 0) +
    d * (first[south] ?? 0);
  const secondSum =
    (given[n * 2 + 1] ?? 0) +
    l * (second[west] ?? 0) +
    r * (second[east] ?? 0) +
    u * (second[north] ?? 0) +
    d * (second[south] ?? 0);
  first[n] = unit((1 - OVER_RELAXATION) * (first[n] ?? 0) + share * firstSum);
  second[n] = unit((1 - OVER_RELAXATION) * (second[n] ?? 0) + share * secondSum);
}

function unit(value: number): number {
  return value <= 0 ? 0 : value >= 1 ? 1 : value;
}

function distance({ luma, cb, cr }: CellColours, a: number, b: number): number {
  return (
    0.5 * ((luma[a] ?? 0) - (luma[b] ?? 0)) ** 2 +
    ((cb[a] ?? 0) - (cb[b] ?? 0)) ** 2 +
    ((cr[a] ?? 0) - (cr[b] ?? 0)) ** 2
  );
}
