/** Returns the points (x, y, z each), moved by `x` and `y` pixels, which need not be whole numbers. */
export function shifted(points: Float32Array, x: number, y: number): Float32Array {
  return points.map((value, at) => (at % 3 === 0 ? value + x : at % 3 === 1 ? value + y : value));
}
