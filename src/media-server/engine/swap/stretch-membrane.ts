interface Level {
  readonly columns: number;
  readonly rows: number;
  readonly values: Float32Array;
  readonly weight: Float32Array;
}

const RELAXATIONS = 6;

/**
 * Stretches a smooth membrane over a grid: it passes close to `values` where `weight` is high and continues
 * smoothly everywhere else (push-pull, then `relaxations` iterations). Constant values give the same
 * constant; without any weight, the result is 0.
 */
export function stretchMembrane(
  columns: number,
  rows: number,
  values: Float32Array,
  weight: Float32Array,
  relaxations: number = RELAXATIONS,
): Float32Array {
  const levels: Level[] = [{ columns, rows, values, weight }];
  for (let last = levels[0]; last && (last.columns > 1 || last.rows > 1);) {
    last = push(last);
    levels.push(last);
  }
  let membrane = new Float32Array(1);
  for (let level = levels.pop(), coarser: Level | undefined; level; coarser = level, level = levels.pop()) {
    membrane = pull(level, membrane, coarser);
  }
  for (let sweep = 0; sweep < relaxations; sweep++) relax(columns, rows, values, weight, membrane);
  return membrane;
}

function push(fine: Level): Level {
  const columns = (fine.columns + 1) >> 1;
  const rows = (fine.rows + 1) >> 1;
  const values = new Float32Array(columns * rows);
  const weight = new Float32Array(columns * rows);
  for (let row = 0; row < fine.rows; row++) {
    for (let column = 0; column < fine.columns; column++) {
      const from = row * fine.columns + column;
      const to = (row >> 1) * columns + (column >> 1);
      const w = fine.weight[from] ?? 0;
      values[to] = (values[to] ?? 0) + w * (fine.values[from] ?? 0);
      weight[to] = (weight[to] ?? 0) + w;
    }
  }
  for (let n = 0; n < values.length; n++) {
    values[n] = (values[n] ?? 0) / Math.max(weight[n] ?? 0, 1e-12);
    weight[n] = Math.min(1, weight[n] ?? 0);
  }
  return { columns, rows, values, weight };
}

function pull(level: Level, coarse: Float32Array, coarser: Level | undefined): Float32Array<ArrayBuffer> {
  const membrane = new Float32Array(level.columns * level.rows);
  for (let row = 0, n = 0; row < level.rows; row++) {
    for (let column = 0; column < level.columns; column++, n++) {
      const below = coarser ? interpolate(coarse, coarser, column, row) : 0;
      const w = level.weight[n] ?? 0;
      membrane[n] = coarser ? w * (level.values[n] ?? 0) + (1 - w) * below : (level.values[n] ?? 0);
    }
  }
  return membrane;
}

function interpolate(coarse: Float32Array, size: Level, column: number, row: number): number {
  const x = Math.min(size.columns - 1, Math.max(0, (column - 0.5) / 2));
  const y = Math.min(size.rows - 1, Math.max(0, (row - 0.5) / 2));
  const left = Math.floor(x);
  const top = Math.floor(y);
  const right = Math.min(size.columns - 1, left + 1);
  const bottom = Math.min(size.rows - 1, top + 1);
  const fx = x - left;
  const fy = y - top;
  const above =
    (1 - fx) * (coarse[top * size.columns + left] ?? 0) + fx * (coarse[top * size.columns + right] ?? 0);
  const under =
    (1 - fx) * (coarse[bottom * size.columns + left] ?? 0) +
    fx * (coarse[bottom * size.columns + right] ?? 0);
  return (1 - fy) * above + fy * under;
}

/** A few Gauss-Seidel sweeps remove the blocks of the push-pull estimate. */
function relax(
  columns: number,
  rows: number,
  values: Float32Array,
  weight: Float32Array,
  membrane: Float32Array,
): void {
  for (let row = 0, n = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, n++) {
      const here = membrane[n] ?? 0;
      const left = column > 0 ? (membrane[n - 1] ?? 0) : here;
      const right = column + 1 < columns ? (membrane[n + 1] ?? 0) : here;
      const above = row > 0 ? (membrane[n - columns] ?? 0) : here;
      const below = row + 1 < rows ? (membrane[n + columns] ?? 0) : here;
      const w = (weight[n] ?? 0) * 0.5;
      membrane[n] = w * (values[n] ?? 0) + (1 - w) * 0.25 * (left + right + above + below);
    }
  }
}
