import type { Pixels, Rect } from '../pixels.ts';
import { wordsOf } from './words.ts';

/** Points and triangles of a warp: corners index points that hold x, y, z each. */
export interface WarpMesh {
  /** Where the points lie in the source picture. */
  readonly from: Float32Array;
  /** Where they go in the target picture; z orders triangles that overlap. */
  readonly to: Float32Array;
  readonly triangles: Uint16Array;
}

/**
 * Draws `source` through `mesh` into `out`, RGBA of `area` of the target picture (aligned to 4 bytes). Piecewise
 * affine, bilinear; nearer triangles win. What no triangle covers stays fully transparent black.
 */
export function warpTriangles(source: Pixels, mesh: WarpMesh, area: Rect, out: Uint8Array): void {
  if (out.byteOffset % 4 !== 0) throw new TypeError('Cannot draw into bytes that are not aligned to words');
  const canvas = {
    from: wordsOf(source.data),
    fromWidth: source.width,
    fromHeight: source.height,
    to: wordsOf(out),
    area,
  };
  canvas.to.fill(0, 0, area.width * area.height);
  for (const triangle of farthestFirst(mesh)) drawTriangle(canvas, mesh, triangle * 3);
}

interface Canvas {
  readonly from: Int32Array;
  readonly fromWidth: number;
  readonly fromHeight: number;
  readonly to: Int32Array;
  readonly area: Rect;
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

function drawTriangle(canvas: Canvas, { from, to, triangles }: WarpMesh, first: number): void {
  const { area } = canvas;
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
    if (left < right) drawSpan(canvas, u, v, ux, vx, row * area.width + left, right - left);
  }
}

/** Positions and shares of the four neighbours are whole numbers, of 1/65536 and 1/256. */
function drawSpan(
  { from, fromWidth, fromHeight, to }: Canvas,
  u: number,
  v: number,
  uStep: number,
  vStep: number,
  start: number,
  count: number,
): void {
  const uMax = fromWidth - 1;
  const vMax = fromHeight - 1;
  const uEnd = u + (count - 1) * uStep;
  const vEnd = v + (count - 1) * vStep;
  const inside =
    Math.min(u, uEnd) >= 0 && Math.min(v, vEnd) >= 0 && Math.max(u, uEnd) < uMax && Math.max(v, vEnd) < vMax;
  const uStride = Math.round(uStep * 65536);
  const vStride = Math.round(vStep * 65536);
  let uAt = Math.round(u * 65536);
  let vAt = Math.round(v * 65536);
  for (let at = start; at < start + count; at++, uAt += uStride, vAt += vStride) {
    let x = uAt;
    let y = vAt;
    if (!inside) {
      x = Math.min(uMax * 65536, Math.max(0, uAt));
      y = Math.min(vMax * 65536, Math.max(0, vAt));
    }
    const column = x >> 16;
    const row = y >> 16;
    const fx = (x >> 8) & 255;
    const fy = (y >> 8) & 255;
    const a = row * fromWidth + column;
    const right = column < uMax ? 1 : 0;
    const down = row < vMax ? fromWidth : 0;
    const pa = from[a] ?? 0;
    const pb = from[a + right] ?? 0;
    const pc = from[a + down] ?? 0;
    const pd = from[a + down + right] ?? 0;
    const wd = (fx * fy + 128) >> 8;
    const wb = fx - wd;
    const wc = fy - wd;
    const wa = 256 - fx - wc;
    // Two channels at a time: the shares sum to 256, so a channel never runs into its neighbour.
    const redBlue =
      Math.imul(pa & LANES, wa) +
      Math.imul(pb & LANES, wb) +
      Math.imul(pc & LANES, wc) +
      Math.imul(pd & LANES, wd) +
      HALVES;
    const green =
      Math.imul((pa >>> 8) & 255, wa) +
      Math.imul((pb >>> 8) & 255, wb) +
      Math.imul((pc >>> 8) & 255, wc) +
      Math.imul((pd >>> 8) & 255, wd) +
      128;
    to[at] = ((redBlue >>> 8) & LANES) | (green & 0xff00) | OPAQUE;
  }
}

const LANES = 0x00ff00ff;
const HALVES = 0x00800080;
const OPAQUE = 0xff000000 | 0;
