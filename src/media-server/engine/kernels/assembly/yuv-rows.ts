/**
 * Converts one row of 4:2:0 to RGBA, 8 pixels at a time. `width` is rounded up to a multiple of 8, and all
 * rows need space for that. `factors` are seven i32 in units of 1/8192: luma, red of Cr, green of Cb, green
 * of Cr, blue of Cb, then two values that are added to all sums: the offset of luma and half a step.
 */
export function yuvRowToRgba(
  luma: usize,
  cb: usize,
  cr: usize,
  width: i32,
  factors: usize,
  out: usize,
): void {
  const byLuma = load<i32>(factors);
  const red = i32x4.splat((byLuma & 0xffff) | (load<i32>(factors, 4) << 16));
  const greenCb = i32x4.splat(load<i32>(factors, 8) << 16);
  const greenCr = i32x4.splat((byLuma & 0xffff) | (load<i32>(factors, 12) << 16));
  const blue = i32x4.splat((byLuma & 0xffff) | (load<i32>(factors, 16) << 16));
  const added = i32x4.splat(load<i32>(factors, 20));
  const middle = i16x8.splat(128);
  const opaque = i16x8.splat(255);
  for (let x = 0; x < width; x += 8, luma += 8, cb += 4, cr += 4, out += 32) {
    const y = i16x8.extend_low_i8x16_u(v128.load64_zero(luma));
    const c = v128.load32_lane(cr, v128.load32_zero(cb), 1);
    const cbs = i16x8.sub(
      i16x8.extend_low_i8x16_u(v128.shuffle<u8>(c, c, 0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3)),
      middle,
    );
    const crs = i16x8.sub(
      i16x8.extend_low_i8x16_u(v128.shuffle<u8>(c, c, 4, 4, 5, 5, 6, 6, 7, 7, 4, 4, 5, 5, 6, 6, 7, 7)),
      middle,
    );
    const withCrLow = v128.shuffle<u16>(y, crs, 0, 8, 1, 9, 2, 10, 3, 11);
    const withCrHigh = v128.shuffle<u16>(y, crs, 4, 12, 5, 13, 6, 14, 7, 15);
    const withCbLow = v128.shuffle<u16>(y, cbs, 0, 8, 1, 9, 2, 10, 3, 11);
    const withCbHigh = v128.shuffle<u16>(y, cbs, 4, 12, 5, 13, 6, 14, 7, 15);
    const reds = narrow(dot(withCrLow, red, added), dot(withCrHigh, red, added));
    const greens = narrow(
      dot(withCrLow, greenCr, i32x4.add(i32x4.dot_i16x8_s(withCbLow, greenCb), added)),
      dot(withCrHigh, greenCr, i32x4.add(i32x4.dot_i16x8_s(withCbHigh, greenCb), added)),
    );
    const blues = narrow(dot(withCbLow, blue, added), dot(withCbHigh, blue, added));
    const redBlue = i8x16.narrow_i16x8_u(reds, blues);
    const greenAlpha = i8x16.narrow_i16x8_u(greens, opaque);
    v128.store(
      out,
      v128.shuffle<u8>(redBlue, greenAlpha, 0, 16, 8, 24, 1, 17, 9, 25, 2, 18, 10, 26, 3, 19, 11, 27),
    );
    v128.store(
      out,
      v128.shuffle<u8>(redBlue, greenAlpha, 4, 20, 12, 28, 5, 21, 13, 29, 6, 22, 14, 30, 7, 23, 15, 31),
      16,
    );
  }
}

function dot(values: v128, factors: v128, added: v128): v128 {
  return i32x4.shr_s(i32x4.add(i32x4.dot_i16x8_s(values, factors), added), 13);
}

function narrow(low: v128, high: v128): v128 {
  return i16x8.narrow_i32x4_s(low, high);
}

/**
 * Converts two rows of RGBA to 4:2:0, 8 pixels at a time. `width` is rounded up to a multiple of 8, and all
 * rows need space for that. `factors` are nine i32 in units of 1/16384: red, green and blue for luma, then
 * for Cb, then for Cr.
 */
export function rgbaRowsToYuv(
  upper: usize,
  lower: usize,
  width: i32,
  factors: usize,
  upperLuma: usize,
  lowerLuma: usize,
  cb: usize,
  cr: usize,
): void {
  const yRedBlue = pair(load<i32>(factors), load<i32>(factors, 8));
  const yGreen = pair(load<i32>(factors, 4), 0);
  const cbRedBlue = pair(load<i32>(factors, 12), load<i32>(factors, 20));
  const cbGreen = pair(load<i32>(factors, 16), 0);
  const crRedBlue = pair(load<i32>(factors, 24), load<i32>(factors, 32));
  const crGreen = pair(load<i32>(factors, 28), 0);
  const lanes = i32x4.splat(0x00ff00ff);
  const lowest = i32x4.splat(0x000000ff);
  const ofLuma = i32x4.splat(16 * 16384 + 8192);
  const ofChroma = i32x4.splat(514 * 16384);
  for (let x = 0; x < width; x += 8) {
    const at = (<usize>x) << 2;
    const a = v128.load(upper + at);
    const b = v128.load(upper + at, 16);
    const c = v128.load(lower + at);
    const d = v128.load(lower + at, 16);
    const aRb = v128.and(a, lanes);
    const bRb = v128.and(b, lanes);
    const cRb = v128.and(c, lanes);
    const dRb = v128.and(d, lanes);
    const aG = v128.and(i32x4.shr_u(a, 8), lowest);
    const bG = v128.and(i32x4.shr_u(b, 8), lowest);
    const cG = v128.and(i32x4.shr_u(c, 8), lowest);
    const dG = v128.and(i32x4.shr_u(d, 8), lowest);
    const above = i16x8.narrow_i32x4_s(
      weigh(aRb, yRedBlue, aG, yGreen, ofLuma, 14),
      weigh(bRb, yRedBlue, bG, yGreen, ofLuma, 14),
    );
    const below = i16x8.narrow_i32x4_s(
      weigh(cRb, yRedBlue, cG, yGreen, ofLuma, 14),
      weigh(dRb, yRedBlue, dG, yGreen, ofLuma, 14),
    );
    const bytes = i8x16.narrow_i16x8_u(above, below);
    v128.store64_lane(upperLuma + x, bytes, 0);
    v128.store64_lane(lowerLuma + x, bytes, 1);
    const left = i16x8.add(aRb, cRb);
    const right = i16x8.add(bRb, dRb);
    const leftG = i16x8.add(aG, cG);
    const rightG = i16x8.add(bG, dG);
    const redBlue = i16x8.add(
      v128.shuffle<u32>(left, right, 0, 2, 4, 6),
      v128.shuffle<u32>(left, right, 1, 3, 5, 7),
    );
    const green = i16x8.add(
      v128.shuffle<u32>(leftG, rightG, 0, 2, 4, 6),
      v128.shuffle<u32>(leftG, rightG, 1, 3, 5, 7),
    );
    const chroma = i16x8.narrow_i32x4_s(
      weigh(redBlue, cbRedBlue, green, cbGreen, ofChroma, 16),
      weigh(redBlue, crRedBlue, green, crGreen, ofChroma, 16),
    );
    const both = i8x16.narrow_i16x8_u(chroma, chroma);
    v128.store32_lane(cb + (x >> 1), both, 0);
    v128.store32_lane(cr + (x >> 1), both, 1);
  }
}

function pair(low: i32, high: i32): v128 {
  return i32x4.splat((low & 0xffff) | (high << 16));
}

function weigh(redBlue: v128, rbFactors: v128, green: v128, gFactors: v128, added: v128, bits: i32): v128 {
  const sum = i32x4.add(i32x4.dot_i16x8_s(redBlue, rbFactors), i32x4.dot_i16x8_s(green, gFactors));
  return i32x4.shr_s(i32x4.add(sum, added), bits);
}
