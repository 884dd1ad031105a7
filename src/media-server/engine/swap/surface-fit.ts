import { type KernelUse, openKernels } from '../kernels/kernels.ts';
import type { CoarseGrid } from './coarse-grid.ts';

const TERMS = 10;
/** The powers of x and of y in each term. */
const POWERS: readonly (readonly [number, number])[] = [
  [0, 0],
  [1, 0],
  [0, 1],
  [2, 0],
  [1, 1],
  [0, 2],
  [3, 0],
  [2, 1],
  [1, 2],
  [0, 3],
];
/** The size of the kernel's output: rows of 8 up to y^6, then four rows of 4. */
const SUMS = 7 * 8 + 4 * 4;
const ROUNDS = 4;
const CELLS_ENOUGH = 1_000;

/**
 * Fits smooth surfaces (full cubics over a grid) to weighted values. Such a surface describes the target's light,
 * because it is too smooth to contain facial features. Create it once per grid for any number of fits.
 */
export class SurfaceFit {
  readonly #cells: readonly number[];
  readonly #weight: Float32Array;
  /** The ten terms of every cell. */
  readonly #basis: Float64Array;

  constructor(grid: CoarseGrid, weight: Float32Array) {
    this.#weight = weight;
    this.#cells = trustedCells(grid, weight);
    this.#basis = basisOf(grid);
  }

  /**
   * Fits a surface to `values`, ignoring cells that differ from it by more than about `tolerance`. Returns the surface
   * at every cell, limited to -`limit` to `limit`, or all zeros if there are too few cells.
   */
  fit(values: Float32Array, tolerance: number, limit: number): Float32Array {
    const basis = this.#basis;
    const surface = new Float32Array(values.length);
    if (this.#cells.length < 4 * TERMS) return surface;
    const use = this.#open(values);
    let terms = this.#solve(use, undefined, tolerance);
    for (let round = 1; round < ROUNDS; round++) terms = this.#solve(use, terms, tolerance);
    for (let n = 0; n < surface.length; n++) {
      surface[n] = Math.min(limit, Math.max(-limit, dot(terms, basis, n * TERMS)));
    }
    return surface;
  }

  /** Writes x, y, weight and value of each trusted cell to the kernel's memory. */
  #open(values: Float32Array): KernelUse {
    const use = openKernels(this.#cells.length * 32, TERMS * 8, SUMS * 8);
    const cells = new Float64Array(use.bytes.buffer, use.at[0], this.#cells.length * 4);
    let at = 0;
    for (const n of this.#cells) {
      cells[at++] = this.#basis[n * TERMS + 1] ?? 0;
      cells[at++] = this.#basis[n * TERMS + 2] ?? 0;
      cells[at++] = this.#weight[n] ?? 0;
      cells[at++] = values[n] ?? 0;
    }
    return use;
  }

  /**
   * Performs one round of weighted least squares. Cells far from the surface of the previous round have a
   * lower weight.
   */
  #solve({ kernels, bytes, at }: KernelUse, last: Float64Array | undefined, tolerance: number): Float64Array {
    const [cellsAt = 0, termsAt = 0, sumsAt = 0] = at;
    if (last) new Float64Array(bytes.buffer, termsAt, TERMS).set(last);
    kernels.surfaceSums(cellsAt, this.#cells.length, termsAt, last ? tolerance : 0, sumsAt);
    const sums = new Float64Array(bytes.buffer, sumsAt, SUMS);
    const matrix = new Float64Array(TERMS * (TERMS + 1));
    for (const [i, [x, y]] of POWERS.entries()) {
      const line = i * (TERMS + 1);
      for (const [j, [u, v]] of POWERS.entries()) matrix[line + j] = sums[8 * (y + v) + x + u] ?? 0;
      matrix[line + TERMS] = sums[56 + 4 * y + x] ?? 0;
    }
    // Higher terms are regularised more, because they are unreliable where there is no skin, such as under
    // the lips.
    const total = matrix[0] ?? 0;
    for (let i = 0; i < TERMS; i++) {
      const ridge = i === 0 ? 0 : i < 3 ? 0.002 : i < 6 ? 0.01 : 0.02;
      matrix[i * (TERMS + 2)] = (matrix[i * (TERMS + 2)] ?? 0) + ridge * total + 1e-3;
    }
    return eliminate(matrix);
  }
}

/**
 * Returns the cells that have weight. In a large grid, it only considers every second cell in both directions, because
 * such a broad surface only needs a few hundred cells.
 */
function trustedCells({ columns, rows }: CoarseGrid, weight: Float32Array): number[] {
  const step = columns * rows > CELLS_ENOUGH ? 2 : 1;
  const cells: number[] = [];
  for (let row = 0; row < rows; row += step) {
    for (let n = row * columns; n < (row + 1) * columns; n += step) {
      if ((weight[n] ?? 0) > 0.02) cells.push(n);
    }
  }
  return cells;
}

function dot(terms: Float64Array, basis: Float64Array, at: number): number {
  let sum = 0;
  for (let i = 0; i < TERMS; i++) sum += (terms[i] ?? 0) * (basis[at + i] ?? 0);
  return sum;
}

/** Solves by Gaussian elimination. The regularised matrix is positive definite, so no pivoting is needed. */
function eliminate(matrix: Float64Array): Float64Array<ArrayBuffer> {
  const width = TERMS + 1;
  for (let pivot = 0; pivot < TERMS; pivot++) {
    const inverse = 1 / (matrix[pivot * width + pivot] ?? 1);
    for (let row = 0; row < TERMS; row++) {
      if (row === pivot) continue;
      const factor = (matrix[row * width + pivot] ?? 0) * inverse;
      for (let column = pivot; column < width; column++) {
        const at = row * width + column;
        matrix[at] = (matrix[at] ?? 0) - factor * (matrix[pivot * width + column] ?? 0);
      }
    }
  }
  const solution = new Float64Array(TERMS);
  for (let i = 0; i < TERMS; i++) {
    solution[i] = (matrix[i * width + TERMS] ?? 0) / (matrix[i * width + i] ?? 1);
  }
  return solution;
}

function basisOf({ columns, rows }: CoarseGrid): Float64Array {
  const basis = new Float64Array(columns * rows * TERMS);
  for (let row = 0, at = 0; row < rows; row++) {
    const y = (2 * row) / rows - 1;
    for (let column = 0; column < columns; column++, at += TERMS) {
      const x = (2 * column) / columns - 1;
      basis[at] = 1;
      basis[at + 1] = x;
      basis[at + 2] = y;
      basis[at + 3] = x * x;
      basis[at + 4] = x * y;
      basis[at + 5] = y * y;
      basis[at + 6] = x * x * x;
      basis[at + 7] = x * x * y;
      basis[at + 8] = x * y * y;
      basis[at + 9] = y * y * y;
    }
  }
  return basis;
}
