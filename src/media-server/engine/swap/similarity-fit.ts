/** A rotation, a uniform scale and a shift in space, applied in this order. */
export interface Pose {
  /** The rows of a 3 x 3 rotation matrix. */
  readonly turn: Nine;
  readonly scale: number;
  readonly shift: Vector;
}

/**
 * Returns the pose that moves the 3D points of `from` to `to` with the smallest squared distance (Horn's method). Both
 * arrays contain x, y, z per point. The pose never mirrors or deforms the shape.
 */
export function fitPose(from: Float32Array, to: Float32Array): Pose {
  const a = centroid(from);
  const b = centroid(to);
  const { products, sizeFrom, sizeTo } = correlate(from, a, to, b);
  const turn = rotation(dominantQuaternion(products));
  const scale = Math.sqrt(sizeTo / Math.max(sizeFrom, 1e-9));
  const [x, y, z] = a;
  const shift: Vector = [
    b[0] - scale * (turn[0] * x + turn[1] * y + turn[2] * z),
    b[1] - scale * (turn[3] * x + turn[4] * y + turn[5] * z),
    b[2] - scale * (turn[6] * x + turn[7] * y + turn[8] * z),
  ];
  return { turn, scale, shift };
}

/** Applies the pose to x, y, z of every point. */
export function applyPose({ turn, scale, shift }: Pose, points: Float32Array): Float32Array {
  const moved = new Float32Array(points.length);
  for (let at = 0; at < points.length; at += 3) {
    const x = points[at] ?? 0;
    const y = points[at + 1] ?? 0;
    const z = points[at + 2] ?? 0;
    moved[at] = shift[0] + scale * (turn[0] * x + turn[1] * y + turn[2] * z);
    moved[at + 1] = shift[1] + scale * (turn[3] * x + turn[4] * y + turn[5] * z);
    moved[at + 2] = shift[2] + scale * (turn[6] * x + turn[7] * y + turn[8] * z);
  }
  return moved;
}

/** Returns the points of `from`, moved by their `fitPose` onto `to`. */
export function alignToPose(from: Float32Array, to: Float32Array): Float32Array {
  return applyPose(fitPose(from, to), from);
}

type Vector = readonly [number, number, number];
type Quaternion = readonly [number, number, number, number];
type Nine = readonly [number, number, number, number, number, number, number, number, number];

function centroid(points: Float32Array): Vector {
  let [x, y, z] = [0, 0, 0];
  for (let at = 0; at < points.length; at += 3) {
    x += points[at] ?? 0;
    y += points[at + 1] ?? 0;
    z += points[at + 2] ?? 0;
  }
  const count = points.length / 3;
  return [x / count, y / count, z / count];
}

function correlate(
  from: Float32Array,
  a: Vector,
  to: Float32Array,
  b: Vector,
): { products: Nine; sizeFrom: number; sizeTo: number } {
  let [xx, xy, xz, yx, yy, yz, zx, zy, zz, sizeFrom, sizeTo] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let at = 0; at < from.length; at += 3) {
    const px = (from[at] ?? 0) - a[0];
    const py = (from[at + 1] ?? 0) - a[1];
    const pz = (from[at + 2] ?? 0) - a[2];
    const qx = (to[at] ?? 0) - b[0];
    const qy = (to[at + 1] ?? 0) - b[1];
    const qz = (to[at + 2] ?? 0) - b[2];
    xx += px * qx;
    xy += px * qy;
    xz += px * qz;
    yx += py * qx;
    yy += py * qy;
    yz += py * qz;
    zx += pz * qx;
    zy += pz * qy;
    zz += pz * qz;
    sizeFrom += px * px + py * py + pz * pz;
    sizeTo += qx * qx + qy * qy + qz * qz;
  }
  return { products: [xx, xy, xz, yx, yy, yz, zx, zy, zz], sizeFrom, sizeTo };
}

/**
 * Returns the eigenvector of Horn's 4 x 4 matrix with the largest eigenvalue, by power iteration on a shifted
 * matrix.
 */
function dominantQuaternion([xx, xy, xz, yx, yy, yz, zx, zy, zz]: Nine): Quaternion {
  const shift = Math.hypot(xx, xy, xz, yx, yy, yz, zx, zy, zz) * 2 + 1e-9;
  let q: Quaternion = [1, 0, 0, 0];
  for (let step = 0; step < 200; step++) {
    const [w, x, y, z] = q;
    const next: Quaternion = [
      (xx + yy + zz + shift) * w + (yz - zy) * x + (zx - xz) * y + (xy - yx) * z,
      (yz - zy) * w + (xx - yy - zz + shift) * x + (xy + yx) * y + (zx + xz) * z,
      (zx - xz) * w + (xy + yx) * x + (yy - xx - zz + shift) * y + (yz + zy) * z,
      (xy - yx) * w + (zx + xz) * x + (yz + zy) * y + (zz - xx - yy + shift) * z,
    ];
    const length = Math.hypot(...next);
    const unit: Quaternion = [next[0] / length, next[1] / length, next[2] / length, next[3] / length];
    const moved = Math.hypot(unit[0] - w, unit[1] - x, unit[2] - y, unit[3] - z);
    q = unit;
    if (moved < 1e-9) break;
  }
  return q;
}

function rotation([w, x, y, z]: Quaternion): Nine {
  return [
    1 - 2 * (y * y + z * z),
    2 * (x * y - w * z),
    2 * (x * z + w * y),
    2 * (x * y + w * z),
    1 - 2 * (x * x + z * z),
    2 * (y * z - w * x),
    2 * (x * z - w * y),
    2 * (y * z + w * x),
    1 - 2 * (x * x + y * y),
  ];
}
