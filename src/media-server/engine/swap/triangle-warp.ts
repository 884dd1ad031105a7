import type { Pixels, Rect } from '../pixels.ts';

/** Points and triangles of a warp: corners index points that hold x, y, z each. */
export interface WarpMesh {
  /** Where the points lie in the source picture. */
  readonly from: Float32Array;
  /** Where they go in the target picture; z orders triangles that overlap. */
  readonly to: Float32Array;
  readonly triangles: Uint16Array;
}

/**
 * Draws `source` through `mesh` into `out`, RGBA of `area` of the target picture. Piecewise affine, bilinear;
 * nearer triangles win. What no triangle covers stays fully transparent black.
 */
export function warpTriangles(source: Pixels, mesh: WarpMesh, area: Rect, out: Uint8Array): void {
  out.fill(0, 0, area.width * area.height * 4);
  for (const triangle of farthestFirst(mesh)) drawTriangle(source, mesh, triangle * 3, area, out);
}

function farthestFirst({ to, triangles }: WarpMesh): Uint16Array {
  const count = triangles.length / 3;
  const depths = new Float32Array(count);
  const order = new Uint16Array(count);
  for (let n = 0; n < count; n++) {
    order[n] = n;
    for (let corner = 0; corner < 3; corner++)
      depths[n] = (depths[n] ?? 0) + z(to, triangles[n * 3 + corner]);
  }
  return order.sort((a, b) => (depths[b] ?? 0) - (depths[a] ?? 0));
}

function z(points: Float32Array, point = 0): number {
  return points[point * 3 + 2] ?? 0;
}

function drawTriangle(source: Pixels, mesh: WarpMesh, first: number, area: Rect, out: Uint8Array): void {
  const { from, to, triangles } = mesh;
  const a = (triangles[first] ?? 0) * 3;
  const b = (triangles[first + 1] ?? 0) * 3;
  const c = (triangles[first + 2] ?? 0) * 3;
  const ax = (to[a] ?? 0) - area.x;
  const ay = (to[a + 1] ?? 0) - area.y;
  const bx = (to[b] ?? 0) - area.x;
  const by = (to[b + 1] ?? 0) - area.y;
  const cx = (to[c] ?? 0) - area.x;
  const cy = (to[c + 1] ?? 0) - area.y;
  const double = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  if (Math.abs(double) < 1e-6) return;
  const au = from[a] ?? 0;
  const av = from[a + 1] ?? 0;
  const bu = ((from[b] ?? 0) - au) / double;
  const bv = ((from[b + 1] ?? 0) - av) / double;
  const cu = ((from[c] ?? 0) - au) / double;
  const cv = ((from[c + 1] ?? 0) - av) / double;
  const ux = bu * (cy - ay) - cu * (by - ay);
  const uy = cu * (bx - ax) - bu * (cx - ax);
  const vx = bv * (cy - ay) - cv * (by - ay);
  const vy = cv * (bx - ax) - bv * (cx - ax);
  const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5));
  const bottom = Math.min(area.height, Math.ceil(Math.max(ay, by, cy) - 0.5));
  for (let row = top; row < bottom; row++) {
    const y = row + 0.5;
    let start = Infinity;
    let end = -Infinity;
    if (ay <= y !== by <= y) {
      const x = ax + ((y - ay) / (by - ay)) * (bx - ax);
      start = Math.min(start, x);
      end = Math.max(end, x);
    }
    if (by <= y !== cy <= y) {
      const x = bx + ((y - by) / (cy - by)) * (cx - bx);
      start = Math.min(start, x);
      end = Math.max(end, x);
    }
    if (cy <= y !== ay <= y) {
      const x = cx + ((y - cy) / (ay - cy)) * (ax - cx);
      start = Math.min(start, x);
      end = Math.max(end, x);
    }
    const left = Math.max(0, Math.ceil(start - 0.5));
    const right = Math.min(area.width, Math.ceil(end - 0.5));
    const dx = left + 0.5 - ax;
    const dy = y - ay;
    const u = au + ux * dx + uy * dy - 0.5;
    const v = av + vx * dx + vy * dy - 0.5;
    drawSpan(source, u, v, ux, vx, out, (row * area.width + left) * 4, right - left);
  }
}

function drawSpan(
  { width, height, data }: Pixels,
  u: number,
  v: number,
  uStep: number,
  vStep: number,
  out: Uint8Array,
  at: number,
  count: number,
): void {
  const uMax = width - 1;
  const vMax = height - 1;
  for (let n = 0; n < count; n++, at += 4) {
    const x = Math.min(uMax, Math.max(0, u + n * uStep));
    const y = Math.min(vMax, Math.max(0, v + n * vStep));
    const left = x | 0;
    const top = y | 0;
    const fx = x - left;
    const fy = y - top;
    const a = (top * width + left) * 4;
    const b = left < uMax ? a + 4 : a;
    const down = top < vMax ? width * 4 : 0;
    const wa = (1 - fx) * (1 - fy);
    const wb = fx * (1 - fy);
    const wc = (1 - fx) * fy;
    const wd = fx * fy;
    for (let channel = 0; channel < 3; channel++) {
      out[at + channel] =
        wa * (data[a + channel] ?? 0) +
        wb * (data[b + channel] ?? 0) +
        wc * (data[a + down + channel] ?? 0) +
        wd * (data[b + down + channel] ?? 0) +
        0.5;
    }
    out[at + 3] = 255;
  }
}
