/** The values of a picture network, in double precision, by row, column and channel. This file favours readability. */
export interface Grid {
  readonly rows: number;
  readonly columns: number;
  readonly channels: number;
  /** Returns `undefined` outside the grid. */
  at(row: number, column: number, channel: number): number | undefined;
}

type Shape = Pick<Grid, 'rows' | 'columns' | 'channels'>;

export interface Window {
  readonly rows: number;
  readonly columns: number;
  readonly stride: number;
  readonly padding: 'SAME' | 'VALID';
}

/** Creates a grid of values in the order of rows, columns, channels. */
export function gridOf(shape: Shape, values: readonly number[]): Grid {
  const { rows, columns, channels } = shape;
  const inside = (row: number, column: number): boolean =>
    row >= 0 && row < rows && column >= 0 && column < columns;
  return {
    ...shape,
    at: (row, column, channel) =>
      inside(row, column) && channel < channels
        ? values[(row * columns + column) * channels + channel]
        : undefined,
  };
}

/** Returns all values in the order of rows, columns, channels. */
export function flat(grid: Grid): number[] {
  return each(grid, (row, column, channel) => grid.at(row, column, channel) ?? Number.NaN);
}

/** Returns a grid with `change` applied to each value. */
export function mapGrid(grid: Grid, change: (value: number, channel: number) => number): Grid {
  return fill(grid, (row, column, channel) => change(grid.at(row, column, channel) ?? Number.NaN, channel));
}

export function addGrids(one: Grid, other: Grid): Grid {
  return fill(
    one,
    (row, column, channel) =>
      (one.at(row, column, channel) ?? Number.NaN) + (other.at(row, column, channel) ?? Number.NaN),
  );
}

/** Adds channels of zeros before and after. */
export function padChannels(grid: Grid, before: number, after: number): Grid {
  const shape = { ...grid, channels: before + grid.channels + after };
  return fill(shape, (row, column, channel) =>
    channel < before ? 0 : (grid.at(row, column, channel - before) ?? 0),
  );
}

/**
 * Computes a convolution. `weight` receives the row and column within the window, the input channel and the output
 * channel.
 */
export function convolve(
  grid: Grid,
  window: Window,
  outputs: number,
  weight: (row: number, column: number, input: number, output: number) => number,
): Grid {
  return slide(grid, window, outputs, (top, left, output) => {
    let sum = 0;
    for (let row = 0; row < window.rows; row++) {
      for (let column = 0; column < window.columns; column++) {
        for (let input = 0; input < grid.channels; input++) {
          sum += (grid.at(top + row, left + column, input) ?? 0) * weight(row, column, input, output);
        }
      }
    }
    return sum;
  });
}

export function maxPool(grid: Grid, window: Window): Grid {
  return slide(grid, window, grid.channels, (top, left, channel) => {
    let most = Number.NEGATIVE_INFINITY;
    for (let row = 0; row < window.rows; row++) {
      for (let column = 0; column < window.columns; column++) {
        most = Math.max(most, grid.at(top + row, left + column, channel) ?? Number.NEGATIVE_INFINITY);
      }
    }
    return most;
  });
}

/** Calls `value` with the upper left corner of each position of the window; the corner may be outside the grid. */
function slide(
  grid: Grid,
  window: Window,
  channels: number,
  value: (top: number, left: number, channel: number) => number,
): Grid {
  const vertical = steps(grid.rows, window.rows, window);
  const horizontal = steps(grid.columns, window.columns, window);
  const shape = { rows: vertical.count, columns: horizontal.count, channels };
  return fill(shape, (row, column, channel) =>
    value(row * window.stride - vertical.before, column * window.stride - horizontal.before, channel),
  );
}

/**
 * Returns the number of a window's positions along one axis, and the padding before the first position. With `SAME`,
 * any odd unit of padding comes at the end.
 */
function steps(length: number, side: number, { stride, padding }: Window): { count: number; before: number } {
  if (padding === 'VALID') return { count: Math.floor((length - side) / stride) + 1, before: 0 };
  const count = Math.ceil(length / stride);
  return { count, before: Math.floor(Math.max(0, (count - 1) * stride + side - length) / 2) };
}

function fill(shape: Shape, value: (row: number, column: number, channel: number) => number): Grid {
  const { rows, columns, channels } = shape;
  return gridOf({ rows, columns, channels }, each(shape, value));
}

function each(shape: Shape, value: (row: number, column: number, channel: number) => number): number[] {
  const values: number[] = [];
  for (let row = 0; row < shape.rows; row++) {
    for (let column = 0; column < shape.columns; column++) {
      for (let channel = 0; channel < shape.channels; channel++) values.push(value(row, column, channel));
    }
  }
  return values;
}
