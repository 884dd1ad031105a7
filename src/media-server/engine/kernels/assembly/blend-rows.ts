const FIELDS: i32 = 6;
const INVISIBLE: f32 = 1.0 / 512.0;

/**
 * Blends rows `firstRow` to `lastRow` of a face into a picture. `target` and `warped` contain these rows as
 * RGBA, with `stride` pixels per row (a multiple of 4, at least `width`). `fields` are six planes of `rows` x
 * `columns` f32, one value per grid cell of `cell` pixels: opacity, light, luma, cb, cr, eyes. `curve` has an
 * f32 per luma value. `match` has eight f32: chroma gain, eye chroma, luma of the white of the eye, the
 * source's Cb and Cr per luma, the target's Cb and Cr per luma, eye gain. `lines` needs space for 12 *
 * `stride` f32.
 */
export function blendRows(
  target: usize,
  warped: usize,
  width: i32,
  stride: i32,
  firstRow: i32,
  lastRow: i32,
  fields: usize,
  rows: i32,
  columns: i32,
  cell: i32,
  curve: usize,
  match: usize,
  lines: usize,
): void {
  const set = ((<usize>stride) << 2) * FIELDS;
  let upper = lines;
  let lower = lines + set;
  let last = -1;
  for (let y = firstRow; y < lastRow; y++, target += (<usize>stride) << 2, warped += (<usize>stride) << 2) {
    const gy = Math.min(<f64>(rows - 1), Math.max(0, (<f64>y + 0.5) / <f64>cell - 0.5));
    const above = <i32>gy;
    if (above != last) {
      // The previous lower row is now the upper one.
      const spare = upper;
      upper = lower;
      lower = spare;
      if (last < 0 || above != last + 1) widen(fields, above, rows, columns, width, stride, cell, upper);
      widen(fields, min(rows - 1, above + 1), rows, columns, width, stride, cell, lower);
      last = above;
    }
    blendRow(target, warped, width, stride, upper, lower, <f32>(gy - <f64>above), curve, match);
  }
}

/**
 * Interpolates one row of the grid's fields at every pixel of a row, linearly between the centres of cells.
 */
function widen(
  fields: usize,
  row: i32,
  rows: i32,
  columns: i32,
  width: i32,
  stride: i32,
  cell: i32,
  out: usize,
): void {
  const step: f32 = 1.0 / <f32>cell;
  for (let field = 0; field < FIELDS; field++) {
    const from = fields + ((<usize>((field * rows + row) * columns)) << 2);
    const to = out + ((<usize>(field * stride)) << 2);
    for (let x = 0, left = -1; x < width; left++) {
      const end = min(width, ((2 * left + 3) * cell) >> 1);
      const a = load<f32>(from + ((<usize>max(0, left)) << 2));
      const slope = load<f32>(from + ((<usize>min(columns - 1, left + 1)) << 2)) - a;
      let share = (<f32>x + 0.5) * step - 0.5 - <f32>left;
      for (; x < end; x++, share += step) store<f32>(to + ((<usize>x) << 2), a + share * slope);
    }
  }
}

function blendRow(
  target: usize,
  warped: usize,
  width: i32,
  stride: i32,
  upper: usize,
  lower: usize,
  below: f32,
  curve: usize,
  match: usize,
): void {
  const plane = (<usize>stride) << 2;
  const share = f32x4.splat(below);
  const zero = f32x4.splat(0);
  const one = f32x4.splat(1);
  const byte = i32x4.splat(255);
  const chromaGain = f32x4.splat(load<f32>(match));
  const eyeChroma = f32x4.splat(load<f32>(match, 4));
  const eyeWhite = f32x4.splat(load<f32>(match, 8));
  const hueCb = f32x4.splat(load<f32>(match, 12));
  const hueCr = f32x4.splat(load<f32>(match, 16));
  const tintCb = f32x4.splat(load<f32>(match, 20));
  const tintCr = f32x4.splat(load<f32>(match, 24));
  const eyeGain = f32x4.splat(load<f32>(match, 28));
  for (let x = 0; x < width; x += 4) {
    const at = (<usize>x) << 2;
    const show = between(upper + at, lower + at, share);
    const face = v128.load(warped + at);
    const seen = v128.and(
      f32x4.gt(show, f32x4.splat(INVISIBLE)),
      i32x4.ne(i32x4.shr_u(face, 24), i32x4.splat(0)),
    );
    if (!v128.any_true(seen)) continue;
    const red = f32x4.convert_i32x4_s(v128.and(face, byte));
    const green = f32x4.convert_i32x4_s(v128.and(i32x4.shr_u(face, 8), byte));
    const blue = f32x4.convert_i32x4_s(v128.and(i32x4.shr_u(face, 16), byte));
    const luma = f32x4.add(
      f32x4.add(f32x4.mul(red, f32x4.splat(0.299)), f32x4.mul(green, f32x4.splat(0.587))),
      f32x4.mul(blue, f32x4.splat(0.114)),
    );
    const cb = f32x4.mul(f32x4.sub(blue, luma), f32x4.splat(0.564));
    const cr = f32x4.mul(f32x4.sub(red, luma), f32x4.splat(0.713));
    const matched = looked(curve, luma);
    const lit = between(upper + at + plane, lower + at + plane, share);
    // Colours that are neutral in the source, such as the edge of the white of an eye, must not turn blue or
    // green.
    const skinCb = f32x4.add(
      f32x4.mul(matched, tintCb),
      f32x4.mul(f32x4.sub(cb, f32x4.mul(luma, hueCb)), chromaGain),
    );
    const skinCr = f32x4.add(
      f32x4.mul(matched, tintCr),
      f32x4.mul(f32x4.sub(cr, f32x4.mul(luma, hueCr)), chromaGain),
    );
    let newLuma = f32x4.add(
      f32x4.mul(matched, lit),
      between(upper + at + plane * 2, lower + at + plane * 2, share),
    );
    let newCb = f32x4.add(
      f32x4.min(skinCb, f32x4.max(cb, zero)),
      between(upper + at + plane * 3, lower + at + plane * 3, share),
    );
    let newCr = f32x4.add(
      f32x4.max(skinCr, f32x4.min(cr, zero)),
      between(upper + at + plane * 4, lower + at + plane * 4, share),
    );
    const zone = between(upper + at + plane * 5, lower + at + plane * 5, share);
    if (v128.any_true(f32x4.gt(zone, zero))) {
      const white = f32x4.mul(
        unit(f32x4.mul(f32x4.sub(luma, eyeWhite), f32x4.splat(0.05))),
        unit(f32x4.add(zone, zone)),
      );
      const eye = f32x4.max(white, unit(f32x4.sub(f32x4.mul(zone, f32x4.splat(5)), f32x4.splat(4))));
      const shaded = f32x4.mul(f32x4.mul(luma, eyeGain), f32x4.min(lit, one));
      newLuma = f32x4.add(newLuma, f32x4.mul(eye, f32x4.sub(shaded, newLuma)));
      newCb = f32x4.add(newCb, f32x4.mul(eye, f32x4.sub(f32x4.mul(eyeChroma, cb), newCb)));
      newCr = f32x4.add(newCr, f32x4.mul(eye, f32x4.sub(f32x4.mul(eyeChroma, cr), newCr)));
    }
    const here = v128.load(target + at);
    const newRed = f32x4.add(newLuma, f32x4.mul(newCr, f32x4.splat(1.402)));
    const newGreen = f32x4.sub(
      newLuma,
      f32x4.add(f32x4.mul(newCb, f32x4.splat(0.344)), f32x4.mul(newCr, f32x4.splat(0.714))),
    );
    const newBlue = f32x4.add(newLuma, f32x4.mul(newCb, f32x4.splat(1.772)));
    const mixed = v128.or(
      v128.or(
        shown(v128.and(here, byte), newRed, show),
        i32x4.shl(shown(v128.and(i32x4.shr_u(here, 8), byte), newGreen, show), 8),
      ),
      v128.or(
        i32x4.shl(shown(v128.and(i32x4.shr_u(here, 16), byte), newBlue, show), 16),
        v128.and(here, i32x4.splat(0xff000000)),
      ),
    );
    v128.store(target + at, v128.bitselect(mixed, here, seen));
  }
}

function between(upper: usize, lower: usize, share: v128): v128 {
  const above = v128.load(upper);
  return f32x4.add(above, f32x4.mul(share, f32x4.sub(v128.load(lower), above)));
}

function looked(curve: usize, luma: v128): v128 {
  const at = i32x4.trunc_sat_f32x4_s(luma);
  let found = v128.load32_zero(curve + ((<usize>i32x4.extract_lane(at, 0)) << 2));
  found = v128.load32_lane(curve + ((<usize>i32x4.extract_lane(at, 1)) << 2), found, 1);
  found = v128.load32_lane(curve + ((<usize>i32x4.extract_lane(at, 2)) << 2), found, 2);
  return v128.load32_lane(curve + ((<usize>i32x4.extract_lane(at, 3)) << 2), found, 3);
}

function unit(value: v128): v128 {
  return f32x4.min(f32x4.max(value, f32x4.splat(0)), f32x4.splat(1));
}

/** Blends one channel with the new value, with opacity `show`, as a byte in 32 bits. */
function shown(here: v128, fresh: v128, show: v128): v128 {
  const old = f32x4.convert_i32x4_s(here);
  const value = f32x4.add(f32x4.add(old, f32x4.mul(show, f32x4.sub(fresh, old))), f32x4.splat(0.5));
  return i32x4.min_s(i32x4.max_s(i32x4.trunc_sat_f32x4_s(value), i32x4.splat(0)), i32x4.splat(255));
}
