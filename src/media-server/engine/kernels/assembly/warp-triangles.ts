/**
 * Draws triangles of `source` (RGBA, `sourceWidth` x `sourceHeight`, with its first pixel at (`sourceX`, `sourceY`) in
 * the coordinates of `from`) into `out` (RGBA, `width` x `height`, with its first pixel at (`areaX`, `areaY`) in the
 * coordinates of `to`). `from` and `to` contain x, y, z as f32 per point, `triangles` contains three u16 each, and
 * `order` is the drawing order.
 */
export function warpTriangles(
  from: usize,
  to: usize,
  triangles: usize,
  order: usize,
  count: i32,
  source: usize,
  sourceX: f64,
  sourceY: f64,
  sourceWidth: i32,
  sourceHeight: i32,
  out: usize,
  areaX: f64,
  areaY: f64,
  width: i32,
  height: i32,
): void {
  for (let n = 0; n < count; n++) {
    const triangle = triangles + <usize>load<u16>(order + ((<usize>n) << 1)) * 6;
    const a = <usize>load<u16>(triangle) * 12;
    const b = <usize>load<u16>(triangle, 2) * 12;
    const c = <usize>load<u16>(triangle, 4) * 12;
    const ax = <f64>load<f32>(to + a) - areaX;
    const ay = <f64>load<f32>(to + a, 4) - areaY;
    const bx = <f64>load<f32>(to + b) - areaX;
    const by = <f64>load<f32>(to + b, 4) - areaY;
    const cx = <f64>load<f32>(to + c) - areaX;
    const cy = <f64>load<f32>(to + c, 4) - areaY;
    const double = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
    if (!(Math.abs(double) >= 1e-6)) continue;
    const au = <f64>load<f32>(from + a);
    const av = <f64>load<f32>(from + a, 4);
    const bu = (<f64>load<f32>(from + b) - au) / double;
    const bv = (<f64>load<f32>(from + b, 4) - av) / double;
    const cu = (<f64>load<f32>(from + c) - au) / double;
    const cv = (<f64>load<f32>(from + c, 4) - av) / double;
    const ux = bu * (cy - ay) - cu * (by - ay);
    const uy = cu * (bx - ax) - bu * (cx - ax);
    const vx = bv * (cy - ay) - cv * (by - ay);
    const vy = cv * (bx - ax) - bv * (cx - ax);
    const uStride = fixed(ux);
    const vStride = fixed(vx);
    const inside =
      leastOf(au, <f64>load<f32>(from + b), <f64>load<f32>(from + c)) - sourceX >= 0.6 &&
      leastOf(av, <f64>load<f32>(from + b, 4), <f64>load<f32>(from + c, 4)) - sourceY >= 0.6 &&
      mostOf(au, <f64>load<f32>(from + b), <f64>load<f32>(from + c)) - sourceX < <f64>sourceWidth - 0.6 &&
      mostOf(av, <f64>load<f32>(from + b, 4), <f64>load<f32>(from + c, 4)) - sourceY <
        <f64>sourceHeight - 0.6;
    const top = max(0, <i32>Math.ceil(leastOf(ay, by, cy) - 0.5));
    const bottom = min(height, <i32>Math.ceil(mostOf(ay, by, cy) - 0.5));
    for (let row = top; row < bottom; row++) {
      const y = <f64>row + 0.5;
      const aAbove = ay <= y;
      const bAbove = by <= y;
      const cAbove = cy <= y;
      // Two of the three edges cross this row.
      const first = aAbove != bAbove ? crossing(ax, ay, bx, by, y) : crossing(bx, by, cx, cy, y);
      const second = cAbove != aAbove ? crossing(cx, cy, ax, ay, y) : crossing(bx, by, cx, cy, y);
      const left = max(0, <i32>Math.ceil((first < second ? first : second) - 0.5));
      const right = min(width, <i32>Math.ceil((first < second ? second : first) - 0.5));
      if (left >= right) continue;
      const dx = <f64>left + 0.5 - ax;
      const dy = y - ay;
      const u = fixed(au - sourceX + ux * dx + uy * dy - 0.5);
      const v = fixed(av - sourceY + vx * dx + vy * dy - 0.5);
      const at = out + ((<usize>(row * width + left)) << 2);
      if (inside) drawInside(source, sourceWidth, u, v, uStride, vStride, at, right - left);
      else drawAtEdge(source, sourceWidth, sourceHeight, u, v, uStride, vStride, at, right - left);
    }
  }
}

/**
 * Returns where a row crosses an edge. The result is bit-identical from both ends, so that neighbouring
 * triangles leave no gap.
 */
function crossing(ax: f64, ay: f64, bx: f64, by: f64, y: f64): f64 {
  return ay < by ? ax + ((y - ay) * (bx - ax)) / (by - ay) : bx + ((y - by) * (ax - bx)) / (ay - by);
}

function leastOf(a: f64, b: f64, c: f64): f64 {
  const ab = a < b ? a : b;
  return ab < c ? ab : c;
}

function mostOf(a: f64, b: f64, c: f64): f64 {
  const ab = a > b ? a : b;
  return ab > c ? ab : c;
}

/** Converts to units of 1/65536. */
function fixed(value: f64): i32 {
  return <i32>Math.floor(value * 65536 + 0.5);
}

/**
 * Draws `count` pixels whose four neighbours all exist. Positions are in units of 1/65536, weights in units
 * of 1/256.
 */
function drawInside(
  source: usize,
  sourceWidth: i32,
  x: i32,
  y: i32,
  uStride: i32,
  vStride: i32,
  out: usize,
  count: i32,
): void {
  const stride = (<usize>sourceWidth) << 2;
  const opaque = i32x4.splat(0xff000000);
  for (; count >= 2; count -= 2, out += 8) {
    const first = mix(neighbours(source, stride, x, y), x, y);
    x += uStride;
    y += vStride;
    const second = mix(neighbours(source, stride, x, y), x, y);
    x += uStride;
    y += vStride;
    const words = i16x8.narrow_i32x4_s(first, second);
    v128.store64_lane(out, v128.or(i8x16.narrow_i16x8_u(words, words), opaque), 0);
  }
  if (count > 0) {
    const last = mix(neighbours(source, stride, x, y), x, y);
    const words = i16x8.narrow_i32x4_s(last, last);
    v128.store32_lane(out, v128.or(i8x16.narrow_i16x8_u(words, words), opaque), 0);
  }
}

/**
 * Draws `count` pixels where a position or a neighbour may be outside; the picture's outermost pixels are
 * repeated there.
 */
function drawAtEdge(
  source: usize,
  sourceWidth: i32,
  sourceHeight: i32,
  x: i32,
  y: i32,
  uStride: i32,
  vStride: i32,
  out: usize,
  count: i32,
): void {
  const uMax = sourceWidth - 1;
  const vMax = sourceHeight - 1;
  const opaque = i32x4.splat(0xff000000);
  for (let n = 0; n < count; n++, out += 4, x += uStride, y += vStride) {
    const inX = min(uMax << 16, max(0, x));
    const inY = min(vMax << 16, max(0, y));
    const column = inX >> 16;
    const row = inY >> 16;
    const a = source + ((<usize>(row * sourceWidth + column)) << 2);
    const right: usize = column < uMax ? 4 : 0;
    const down: usize = row < vMax ? (<usize>sourceWidth) << 2 : 0;
    let four = v128.load32_zero(a);
    four = v128.load32_lane(a + right, four, 1);
    four = v128.load32_lane(a + down, four, 2);
    four = v128.load32_lane(a + down + right, four, 3);
    const mixed = mix(four, inX, inY);
    const words = i16x8.narrow_i32x4_s(mixed, mixed);
    v128.store32_lane(out, v128.or(i8x16.narrow_i16x8_u(words, words), opaque), 0);
  }
}

/** Loads the four pixels around a position: two in its row, then two in the next row. */
function neighbours(source: usize, stride: usize, x: i32, y: i32): v128 {
  const a = source + <usize>(y >> 16) * stride + ((<usize>(x >> 16)) << 2);
  return v128.load64_lane(a + stride, v128.load64_zero(a), 1);
}

/** Interpolates the four channels at a position between its four neighbours, with 32 bits each. */
function mix(four: v128, x: i32, y: i32): v128 {
  const fx = (x >> 8) & 255;
  const fy = (y >> 8) & 255;
  const wd = (fx * fy + 128) >> 8;
  const wc = fy - wd;
  const above = i32x4.splat((256 - fx - wc) | ((fx - wd) << 16));
  const below = i32x4.splat(wc | (wd << 16));
  const pairs = v128.shuffle<u8>(four, four, 0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
  const sum = i32x4.add(
    i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(pairs), above),
    i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(pairs), below),
  );
  return i32x4.shr_s(i32x4.add(sum, i32x4.splat(128)), 8);
}
