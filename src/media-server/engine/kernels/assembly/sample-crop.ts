/**
 * Samples columns `column0` to `column1` of rows `row0` to `row1` of a rotated square into `out`, as RGB in f32.
 * `source` is the part of a `width` x `height` picture that starts at (`x0`, `y0`), with `stride` pixels per row. The
 * centre of the square is at (`centreX`, `centreY`). (`cos`, `sin`) is the step from one sample to the next, `taps` x
 * `taps` samples make one value, and `half` is half the width in samples. A sum of samples becomes `sum * share +
 * offset`; a sample outside the picture has the value `outside`.
 */
export function sampleCrop(
  source: usize,
  x0: i32,
  y0: i32,
  stride: i32,
  width: i32,
  height: i32,
  centreX: f64,
  centreY: f64,
  cos: f64,
  sin: f64,
  half: f64,
  taps: i32,
  share: f32,
  offset: f32,
  outside: i32,
  row0: i32,
  row1: i32,
  column0: i32,
  column1: i32,
  out: usize,
): void {
  // The address that the picture's first pixel would have if the whole picture were in memory, so that positions in the
  // picture can be used for `source`.
  const first = source - ((<usize>(y0 * stride + x0)) << 2);
  const nothing = i32x4.splat(outside);
  const shares = f32x4.splat(share);
  const offsets = f32x4.splat(offset);
  const across = fixed(cos);
  const down = fixed(sin);
  for (let row = row0; row < row1; row++) {
    const u = <f64>(column0 * taps) - half;
    const v = <f64>(row * taps) - half;
    let left = fixed(centreX + u * cos - v * sin);
    let top = fixed(centreY + u * sin + v * cos);
    for (let column = column0; column < column1; column++, out += 12) {
      let sum = i32x4.splat(0);
      let lineX = left;
      let lineY = top;
      for (let line = 0; line < taps; line++, lineX -= down, lineY += across) {
        let x = lineX;
        let y = lineY;
        for (let tap = 0; tap < taps; tap++, x += across, y += down) {
          const inX = <u32>(x >> 32);
          const inY = <u32>(y >> 32);
          if (inX < <u32>width && inY < <u32>height) {
            const pixel = v128.load32_zero(first + ((<usize>(inY * <u32>stride + inX)) << 2));
            sum = i32x4.add(sum, i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(pixel)));
          } else {
            sum = i32x4.add(sum, nothing);
          }
        }
      }
      left += across * taps;
      top += down * taps;
      // The fourth value is written where the next pixel goes and is then overwritten.
      v128.store(out, f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(sum), shares), offsets));
    }
  }
}

/** Converts to units of 1/2^32 pixel, so that the sum of a whole row's steps is exact to a millionth of a pixel. */
function fixed(value: f64): i64 {
  return <i64>Math.floor(value * 4294967296 + 0.5);
}
