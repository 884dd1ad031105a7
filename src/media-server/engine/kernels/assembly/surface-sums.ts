/**
 * Computes the sums of a least-squares fit of a full cubic in x and y. Each of `count` cells is four f64: x, y, weight,
 * value. `terms` are the ten factors of the previous fit (1, x, y, xx, xy, yy, xxx, xxy, xyy, yyy). Unless `tolerance`
 * is 0, the weight of a cell decreases with its distance from the surface of the previous fit, in units of `tolerance`.
 * Writes f64 to `out` in rows of 8: first, at 8 * j + i, the sum of weight * x^i * y^j (i + j at most 6); then, at 56 +
 * 4 * j + i, the sum of value * weight * x^i * y^j (i + j at most 3). The other entries of each row are undefined.
 */
export function surfaceSums(cells: usize, count: i32, terms: usize, tolerance: f64, out: usize): void {
  const zero = f64x2.splat(0);
  let a0 = zero,
    a1 = zero,
    a2 = zero,
    a3 = zero;
  let b0 = zero,
    b1 = zero,
    b2 = zero;
  let c0 = zero,
    c1 = zero,
    c2 = zero;
  let d0 = zero,
    d1 = zero,
    e0 = zero,
    e1 = zero,
    f0 = zero,
    g0 = zero;
  let p0 = zero,
    p1 = zero,
    q0 = zero,
    q1 = zero,
    r0 = zero,
    s0 = zero;
  for (let n = 0; n < count; n++, cells += 32) {
    const x = load<f64>(cells);
    const y = load<f64>(cells, 8);
    const value = load<f64>(cells, 24);
    const off = tolerance > 0 ? (value - surface(terms, x, y)) / tolerance : 0;
    const share = load<f64>(cells, 16) / (1 + off * off);
    const xx = f64x2.splat(x * x);
    const x01 = f64x2.replace_lane(f64x2.splat(1), 1, x);
    const x23 = f64x2.mul(x01, xx);
    const x45 = f64x2.mul(x23, xx);
    const x67 = f64x2.mul(x45, xx);
    const line = f64x2.splat(y);
    const told = f64x2.splat(value);
    let w = f64x2.splat(share);
    a0 = f64x2.add(a0, f64x2.mul(w, x01));
    a1 = f64x2.add(a1, f64x2.mul(w, x23));
    a2 = f64x2.add(a2, f64x2.mul(w, x45));
    a3 = f64x2.add(a3, f64x2.mul(w, x67));
    let v = f64x2.mul(w, told);
    p0 = f64x2.add(p0, f64x2.mul(v, x01));
    p1 = f64x2.add(p1, f64x2.mul(v, x23));
    w = f64x2.mul(w, line);
    b0 = f64x2.add(b0, f64x2.mul(w, x01));
    b1 = f64x2.add(b1, f64x2.mul(w, x23));
    b2 = f64x2.add(b2, f64x2.mul(w, x45));
    v = f64x2.mul(w, told);
    q0 = f64x2.add(q0, f64x2.mul(v, x01));
    q1 = f64x2.add(q1, f64x2.mul(v, x23));
    w = f64x2.mul(w, line);
    c0 = f64x2.add(c0, f64x2.mul(w, x01));
    c1 = f64x2.add(c1, f64x2.mul(w, x23));
    c2 = f64x2.add(c2, f64x2.mul(w, x45));
    v = f64x2.mul(w, told);
    r0 = f64x2.add(r0, f64x2.mul(v, x01));
    w = f64x2.mul(w, line);
    d0 = f64x2.add(d0, f64x2.mul(w, x01));
    d1 = f64x2.add(d1, f64x2.mul(w, x23));
    v = f64x2.mul(w, told);
    s0 = f64x2.add(s0, f64x2.mul(v, x01));
    w = f64x2.mul(w, line);
    e0 = f64x2.add(e0, f64x2.mul(w, x01));
    e1 = f64x2.add(e1, f64x2.mul(w, x23));
    w = f64x2.mul(w, line);
    f0 = f64x2.add(f0, f64x2.mul(w, x01));
    g0 = f64x2.add(g0, f64x2.mul(f64x2.mul(w, line), x01));
  }
  v128.store(out, a0);
  v128.store(out, a1, 16);
  v128.store(out, a2, 32);
  v128.store(out, a3, 48);
  v128.store(out, b0, 64);
  v128.store(out, b1, 80);
  v128.store(out, b2, 96);
  v128.store(out, c0, 128);
  v128.store(out, c1, 144);
  v128.store(out, c2, 160);
  v128.store(out, d0, 192);
  v128.store(out, d1, 208);
  v128.store(out, e0, 256);
  v128.store(out, e1, 272);
  v128.store(out, f0, 320);
  v128.store(out, g0, 384);
  v128.store(out, p0, 448);
  v128.store(out, p1, 464);
  v128.store(out, q0, 480);
  v128.store(out, q1, 496);
  v128.store(out, r0, 512);
  v128.store(out, s0, 544);
}

function surface(terms: usize, x: f64, y: f64): f64 {
  const still =
    load<f64>(terms) + x * (load<f64>(terms, 8) + x * (load<f64>(terms, 24) + x * load<f64>(terms, 48)));
  const once = load<f64>(terms, 16) + x * (load<f64>(terms, 32) + x * load<f64>(terms, 56));
  const twice = load<f64>(terms, 40) + x * load<f64>(terms, 64);
  return still + y * (once + y * (twice + y * load<f64>(terms, 72)));
}
