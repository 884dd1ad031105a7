/**
 * Raises the cells of `field` (f32, `columns` per row) from (`firstColumn`, `firstRow`) to (`endColumn`, `endRow`),
 * exclusive, to the depth of their centres inside an outline: the distance to the outline, positive inside. `edges` has
 * six f32 per edge in units of the grid's cells: x, y, the vector to the next point, 1 / its squared length, and its x
 * per y. `cell` is the size of a cell. Four cells are processed at a time, so `field` needs space for three more.
 */
export function deepenField(
  field: usize,
  columns: i32,
  firstColumn: i32,
  endColumn: i32,
  firstRow: i32,
  endRow: i32,
  edges: usize,
  count: i32,
  cell: f32,
): void {
  const zero = f32x4.splat(0);
  const one = f32x4.splat(1);
  const size = f32x4.splat(cell);
  const end = edges + <usize>count * 24;
  let step = f32x4.splat(0.5);
  step = f32x4.replace_lane(step, 1, 1.5);
  step = f32x4.replace_lane(step, 2, 2.5);
  step = f32x4.replace_lane(step, 3, 3.5);
  for (let row = firstRow; row < endRow; row++) {
    const y = <f32>row + 0.5;
    for (let column = firstColumn; column < endColumn; column += 4) {
      const x = f32x4.add(f32x4.splat(<f32>column), step);
      let nearest = f32x4.splat(f32.MAX_VALUE);
      let inside = i32x4.splat(0);
      for (let edge = edges; edge < end; edge += 24) {
        const px = f32x4.sub(x, f32x4.splat(load<f32>(edge)));
        const py = y - load<f32>(edge, 4);
        const dx = f32x4.splat(load<f32>(edge, 8));
        const dy = load<f32>(edge, 12);
        const along = f32x4.mul(
          f32x4.add(f32x4.mul(px, dx), f32x4.splat(py * dy)),
          f32x4.splat(load<f32>(edge, 16)),
        );
        const share = f32x4.pmin(f32x4.pmax(along, zero), one);
        const ex = f32x4.sub(px, f32x4.mul(share, dx));
        const ey = f32x4.sub(f32x4.splat(py), f32x4.mul(share, f32x4.splat(dy)));
        nearest = f32x4.pmin(nearest, f32x4.add(f32x4.mul(ex, ex), f32x4.mul(ey, ey)));
        if (py < 0 != py < dy) {
          inside = v128.xor(inside, f32x4.lt(px, f32x4.splat(py * load<f32>(edge, 20))));
        }
      }
      const distance = f32x4.mul(f32x4.sqrt(nearest), size);
      const depth = v128.bitselect(distance, f32x4.neg(distance), inside);
      const at = field + ((<usize>(row * columns + column)) << 2);
      const before = v128.load(at);
      const raised = f32x4.pmax(before, depth);
      const left = endColumn - column;
      if (left >= 4) v128.store(at, raised);
      else
        for (let lane = 0; lane < left; lane++) store<f32>(at + ((<usize>lane) << 2), laneOf(raised, lane));
    }
  }
}

function laneOf(values: v128, lane: i32): f32 {
  if (lane == 0) return f32x4.extract_lane(values, 0);
  return lane == 1 ? f32x4.extract_lane(values, 1) : f32x4.extract_lane(values, 2);
}
