import type { CoarseGrid } from './coarse-grid.ts';

const TERMS = 6;
const ROUNDS = 4;

/**
 * Fits a smooth surface (a full quadratic over the grid) to `values` where `weight` says, ignoring cells more
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
  const surface = new Float32Array(values.length);
  const total = weight.reduce((sum, value) => sum + value, 0);
  if (total < 4 * TERMS) return surface;
  for (let round = 0; round < ROUNDS; round++) {
    const trust = weight.map((value, n) => {
      const off = ((values[n] ?? 0) - (surface[n] ?? 0)) / tolerance;
      return round === 0 ? value : value / (1 + off * off);
    });
    evaluate(grid, solveNormalEquations(grid, values, trust), surface);
  }
  for (let n = 0; n < surface.length; n++) {
    surface[n] = Math.min(limit, Math.max(-limit, surface[n] ?? 0));
  }
  return surface;
}

function solveNormalEquations(grid: CoarseGrid, values: Float32Array, weight: Float32Array): Float64Array {
  const matrix = new Float64Array(TERMS * (TERMS + 1));
  const basis = new Float64Array(TERMS);
  for (let n = 0; n < values.length; n++) {
    const w = weight[n] ?? 0;
    if (w <= 0) continue;
    fillBasis(grid, n, basis);
    for (let i = 0; i < TERMS; i++) {
      const scaled = w * (basis[i] ?? 0);
      for (let j = 0; j < TERMS; j++) {
        const at = i * (TERMS + 1) + j;
        matrix[at] = (matrix[at] ?? 0) + scaled * (basis[j] ?? 0);
      }
      const at = i * (TERMS + 1) + TERMS;
      matrix[at] = (matrix[at] ?? 0) + scaled * (values[n] ?? 0);
    }
  }
  for (let i = 0; i < TERMS; i++) matrix[i * (TERMS + 2)] = (matrix[i * (TERMS + 2)] ?? 0) * 1.01 + 1e-3;
  return eliminate(matrix);
}

/** Gauss elimination; the matrix is positive definite by its ridge, so the pivots need no search. */
function eliminate(matrix: Float64Array): Float64Array {
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

function evaluate(grid: CoarseGrid, terms: Float64Array, surface: Float32Array): void {
  const basis = new Float64Array(TERMS);
  for (let n = 0; n < surface.length; n++) {
    fillBasis(grid, n, basis);
    let sum = 0;
    for (let i = 0; i < TERMS; i++) sum += (terms[i] ?? 0) * (basis[i] ?? 0);
    surface[n] = sum;
  }
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
}
