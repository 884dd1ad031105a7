/** Returns the points (x, y, z each), moved by any number of pixels. */
export function shifted(points: Float32Array, x: number, y: number): Float32Array {
  return points.map((value, at) => (at % 3 === 0 ? value + x : at % 3 === 1 ? value + y : value));
}
