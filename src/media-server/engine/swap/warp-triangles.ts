import { copyRows, openKernels } from '../kernels/kernels.ts';
import type { Pixels, Rect } from '../pixels.ts';

/** The points and triangles of a warp. Corners are indices of points, which have x, y, z each. */
export interface WarpMesh {
  /** The positions of the points in the source picture. */
  readonly from: Float32Array;
  /** The positions of the points in the target picture; z determines the order of triangles that overlap. */
  readonly to: Float32Array;
  readonly triangles: Uint16Array;
}

/** The number of additional pixels around the used part of the source, because positions are not exact. */
const MARGIN = 2;

/**
 * Draws `source` through `mesh` into `out`, the RGBA pixels of `area` of the target picture. The mapping is
 * piecewise affine and bilinear; nearer triangles are in front. Pixels that no triangle covers are
 * transparent black.
 */
export function warpTriangles(source: Pixels, mesh: WarpMesh, area: Rect, out: Uint8Array): void {
  const { from, to, triangles } = mesh;
  const part = usedPart(source, from);
  const order = farthestFirst(mesh);
  const sizeBytes = area.width * area.height * 4;
  const { kernels, bytes, at } = openKernels(
    part.width * part.height * 4,
    sizeBytes,
    from.byteLength,
    to.byteLength,
    triangles.byteLength,
    order.byteLength,
  );
  const [sourceAt = 0, outAt = 0, fromAt = 0, toAt = 0, trianglesAt = 0, orderAt = 0] = at;
  const rowBytes = part.width * 4;
  copyRows(
    { bytes: source.data, at: (part.y * source.width + part.x) * 4, stride: source.width * 4 },
    { bytes, at: sourceAt, stride: rowBytes },
    rowBytes,
    part.height,
  );
  bytes.fill(0, outAt, outAt + sizeBytes);
  bytes.set(bytesOf(from), fromAt);
  bytes.set(bytesOf(to), toAt);
  bytes.set(bytesOf(triangles), trianglesAt);
  bytes.set(bytesOf(order), orderAt);
  kernels.warpTriangles(
    fromAt,
    toAt,
    trianglesAt,
    orderAt,
    order.length,
    sourceAt,
    part.x,
    part.y,
    part.width,
    part.height,
    outAt,
    area.x,
    area.y,
    area.width,
    area.height,
  );
  out.set(bytes.subarray(outAt, outAt + sizeBytes));
}

/** Returns the area of the source that triangles with corners at these points can read, which is at least one pixel. */
function usedPart({ width, height }: Pixels, points: Float32Array): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < points.length; at += 3) {
    const x = points[at] ?? 0;
    const y = points[at + 1] ?? 0;
    if (x < left) left = x;
    if (x > right) right = x;
    if (y < top) top = y;
    if (y > bottom) bottom = y;
  }
  const x = Math.max(0, Math.min(width - 1, Math.floor(left) - MARGIN));
  const y = Math.max(0, Math.min(height - 1, Math.floor(top) - MARGIN));
  const endX = Math.max(x + 1, Math.min(width, Math.ceil(right) + MARGIN));
  const endY = Math.max(y + 1, Math.min(height, Math.ceil(bottom) + MARGIN));
  return { x, y, width: endX - x, height: endY - y };
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * Returns the indices of the triangles, those with the greatest depth first and otherwise in their own order.
 */
function farthestFirst({ to, triangles }: WarpMesh): Uint16Array {
  const count = triangles.length / 3;
  // A depth has 24 bits, so the index fits below them. Sorting plain numbers takes a tenth of the time of sorting with
  // a comparison function.
  const keys = new Float64Array(count);
  const words = new Uint32Array(keys.buffer);
  for (let n = 0; n < count; n++) {
    const depth = depthOf(to, triangles, n * 3);
    keys[n] = 0 - depth;
    words[n * 2] = depth > 0 ? 0xffff - n : n;
  }
  keys.sort();
  const order = new Uint16Array(count);
  for (let n = 0; n < count; n++) order[n] = (words[n * 2] ?? 0) ^ ((keys[n] ?? 0) < 0 ? 0xffff : 0);
  return order;
}

function depthOf(points: Float32Array, triangles: Uint16Array, first: number): number {
  return Math.fround(
    z(points, triangles[first]) + z(points, triangles[first + 1]) + z(points, triangles[first + 2]),
  );
}

function z(points: Float32Array, point = 0): number {
  return points[point * 3 + 2] ?? 0;
}
