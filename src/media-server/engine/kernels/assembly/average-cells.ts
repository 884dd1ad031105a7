/**
 * Adds `rows` rows of `width` RGBA pixels to the sums of their cells, which are `cell` pixels wide (at most
 * 256). The sums are four i32 per cell: red, green, blue and the number of pixels. Pixels with alpha 0 do not
 * count.
 */
export function addRowsToCells(source: usize, width: i32, rows: i32, cell: i32, sums: usize): void {
  const colours = 0x00ffffff;
  const one = 0x01000000;
  for (let row = 0; row < rows; row++) {
    let at = sums;
    for (let x = 0; x < width; at += 16) {
      const end = min(width, x + cell);
      let sum = i16x8.splat(0);
      for (; x < end; x++, source += 4) {
        const pixel = load<u32>(source);
        if (pixel >>> 24 == 0) continue;
        sum = i16x8.add(sum, i16x8.extend_low_i8x16_u(i32x4.splat((pixel & colours) | one)));
      }
      v128.store(at, i32x4.add(v128.load(at), i32x4.extend_low_i16x8_u(sum)));
    }
  }
}
