import type { CoarseGrid } from './coarse-grid.ts';

const TERMS = 10;
const ROUNDS = 4;

/**
 * Fits a smooth surface (a full cubic over the grid) to `values` where `weight` says, ignoring cells more
 * than about `tolerance` away from it, and returns it for every cell, within `limit` of 0. All zeros when
 * there are too few cells to tell. This is the target's light: broad enough to carry no features along.
 */
export function fitSmoothSurface(
  grid: CoarseGrid,
  values: Float32Array,
  weight: Float32Array,
  tolerance: number,
  limit: number,
): Float32Array {
  const cells = trustedCells(grid, weight);
  const surface = new Float32Array(values.length);
  if (cells.length < 4 * TERMS) return surface;
  let terms = new Float64Array(TERMS);
  for (let round = 0; round < ROUNDS; round++) {
    terms = solveNormalEquations(grid, cells, (n, basis) => {
      const off = round === 0 ? 0 : ((values[n] ?? 0) - dot(terms, basis)) / tolerance;
      return { value: values[n] ?? 0, weight: (weight[n] ?? 0) / (1 + off * off) };
    });
  }
  const basis = new Float64Array(TERMS);
  for (let n = 0; n < surface.length; n++) {
    fillBasis(grid, n, basis);
    surface[n] = Math.min(limit, Math.max(-limit, dot(terms, basis)));
  }
  return surface;
}

/** Every second cell in both directions: a surface this broad needs no more. */
function trustedCells(grid: CoarseGrid, weight: Float32Array): number[] {
  const cells: number[] = [];
  for (let row = 0; row < grid.rows; row += 2) {
    for (let n = row * grid.columns; n < (row + 1) * grid.columns; n += 2) {
      if ((weight[n] ?? 0) > 0.02) cells.push(n);
    }
  }
  return cells;
}

function solveNormalEquations(
  grid: CoarseGrid,
  cells: readonly number[],
  sample: (n: number, basis: Float64Array) => { value: number; weight: number },
): Float64Array<ArrayBuffer> {
  const matrix = new Float64Array(TERMS * (TERMS + 1));
  const basis = new Float64Array(TERMS);
  for (const n of cells) {
    fillBasis(grid, n, basis);
    const { value, weight } = sample(n, basis);
    for (let i = 0; i < TERMS; i++) {
      const scaled = weight * (basis[i] ?? 0);
      const line = i * (TERMS + 1);
      for (let j = i; j < TERMS; j++) matrix[line + j] = (matrix[line + j] ?? 0) + scaled * (basis[j] ?? 0);
      matrix[line + TERMS] = (matrix[line + TERMS] ?? 0) + scaled * value;
    }
  }
  for (let i = 1; i < TERMS; i++) {
    for (let j = 0; j < i; j++) matrix[i * (TERMS + 1) + j] = matrix[j * (TERMS + 1) + i] ?? 0;
  }
  // The higher the term, the less it is trusted where no skin tells, such as under the lips.
  const total = matrix[0] ?? 0;
  for (let i = 0; i < TERMS; i++) {
    const ridge = i === 0 ? 0 : i < 3 ? 0.002 : i < 6 ? 0.01 : 0.02;
    matrix[i * (TERMS + 2)] = (matrix[i * (TERMS + 2)] ?? 0) + ridge * total + 1e-3;
  }
  return eliminate(matrix);
}

function dot(terms: Float64Array, basis: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < TERMS; i++) sum += (terms[i] ?? 0) * (basis[i] ?? 0);
  return sum;
}

/** Gauss elimination; the matrix is positive definite by its ridge, so the pivots need no search. */
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

function fillBasis(grid: CoarseGrid, n: number, basis: Float64Array): void {
  const x = (2 * (n % grid.columns)) / grid.columns - 1;
  const y = (2 * Math.floor(n / grid.columns)) / grid.rows - 1;
  basis[0] = 1;
  basis[1] = x;
  basis[2] = y;
  basis[3] = x * x;
  basis[4] = x * y;
  basis[5] = y * y;
  basis[6] = x * x * x;
  basis[7] = x * x * y;
  basis[8] = x * y * y;
  basis[9] = y * y * y;
}
