import type { Pixels } from '../pixels.ts';

/** The side of a tile in pixels. A tile counts as covered if any of its pixels is. */
const TILE = 8;

/**
 * Returns those of `triangles` that have covered pixels in or near them (see `CutoutLevel`). The others would draw
 * nothing.
 */
export function coveredTriangles(points: Float32Array, triangles: Uint16Array, cover: Pixels): Uint16Array {
  const tiles = coveredTiles(cover);
  const kept: number[] = [];
  for (let at = 0; at < triangles.length; at += 3) {
    const corners = [...triangles.subarray(at, at + 3)];
    const xs = corners.map((point) => points[point * 3] ?? 0);
    const ys = corners.map((point) => points[point * 3 + 1] ?? 0);
    if (isCovered(tiles, Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys))) {
      kept.push(...corners);
    }
  }
  return Uint16Array.from(kept);
}

interface Tiles {
  readonly columns: number;
  readonly rows: number;
  readonly covered: Uint8Array;
}

function coveredTiles({ width, height, data }: Pixels): Tiles {
  const [columns, rows] = [Math.ceil(width / TILE), Math.ceil(height / TILE)];
  const covered = new Uint8Array(columns * rows);
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor(y / TILE) * columns;
    for (let x = 0; x < width; x++, at += 4) {
      if (data[at] !== 0) covered[row + Math.floor(x / TILE)] = 1;
    }
  }
  return { columns, rows, covered };
}

/**
 * Returns whether a box touches a covered tile. A pixel is added on each side, because interpolation also uses
 * neighbours. Beyond the edge of the picture, the outermost tiles are used.
 */
function isCovered(
  { columns, rows, covered }: Tiles,
  left: number,
  top: number,
  right: number,
  bottom: number,
): boolean {
  const tile = (at: number, count: number): number => Math.min(count - 1, Math.max(0, Math.floor(at / TILE)));
  for (let row = tile(top - 1, rows); row <= tile(bottom + 1, rows); row++) {
    for (let column = tile(left - 1, columns); column <= tile(right + 1, columns); column++) {
      if (covered[row * columns + column] === 1) return true;
    }
  }
  return false;
}
