import type { Pixels } from '../pixels.ts';

/** A rule for reducing a group of old pixels to a smaller group of new ones. */
interface Reduction {
  /** The number of old pixels per group. */
  readonly from: number;
  /** For each new pixel of the group: the first of four old pixels, and their weights in 32nds. */
  readonly taps: readonly (readonly [first: number, number, number, number, number])[];
}

/**
 * Catmull-Rom filters as wide as the new pixels. Averaging whole pixels would blur each level more than the previous
 * one.
 */
const HALF: Reduction = { from: 2, taps: [[-1, -2, 18, 18, -2]] };
const THREE_QUARTERS: Reduction = {
  from: 4,
  taps: [
    [-1, 2, 23, 9, -2],
    [0, -1, 17, 17, -1],
    [1, -2, 9, 23, 2],
  ],
};

/** Returns the picture at half its size. An odd last row or column is dropped. */
export function halved(picture: Pixels): Pixels {
  return reduced(picture, HALF);
}

/** Returns the picture at three quarters of its size. Up to three last rows and columns are dropped. */
export function threeQuarters(picture: Pixels): Pixels {
  return reduced(picture, THREE_QUARTERS);
}

function reduced({ width, height, data }: Pixels, { from, taps }: Reduction): Pixels {
  const newWidth = Math.floor(width / from) * taps.length;
  const newHeight = Math.floor(height / from) * taps.length;
  const columns = placesOf(newWidth, width, from, taps);
  const out = new Uint8ClampedArray(newWidth * newHeight * 4);
  const line = new Int16Array(width * 4);
  let to = 0;
  for (const { at, weights } of placesOf(newHeight, height, from, taps)) {
    mixRows(data, at, weights, line);
    for (const {
      at: [a, b, c, d],
      weights: [wa, wb, wc, wd],
    } of columns) {
      for (let channel = 0; channel < 4; channel++, to++) {
        const sum =
          wa * (line[a * 4 + channel] ?? 0) +
          wb * (line[b * 4 + channel] ?? 0) +
          wc * (line[c * 4 + channel] ?? 0) +
          wd * (line[d * 4 + channel] ?? 0);
        out[to] = (sum + 512) >> 10;
      }
    }
  }
  return { width: newWidth, height: newHeight, data: new Uint8Array(out.buffer) };
}

function mixRows(data: Uint8Array, rows: Place['at'], weights: Place['weights'], line: Int16Array): void {
  const [a, b, c, d] = rows;
  const [wa, wb, wc, wd] = weights;
  const length = line.length;
  for (let n = 0; n < length; n++) {
    line[n] =
      wa * (data[a * length + n] ?? 0) +
      wb * (data[b * length + n] ?? 0) +
      wc * (data[c * length + n] ?? 0) +
      wd * (data[d * length + n] ?? 0);
  }
}

interface Place {
  readonly at: readonly [number, number, number, number];
  readonly weights: readonly [number, number, number, number];
}

/**
 * Returns, for each new pixel in a line, the indices of four old pixels and their weights. Indices beyond the ends
 * become those of the outermost pixels.
 */
function placesOf(count: number, length: number, from: number, taps: Reduction['taps']): Place[] {
  return Array.from({ length: count }, (_none, n) => {
    const [first, ...weights] = taps[n % taps.length] ?? [0, 0, 0, 0, 0];
    const start = Math.floor(n / taps.length) * from + first;
    const inside = (at: number): number => Math.min(length - 1, Math.max(0, at));
    return { at: [inside(start), inside(start + 1), inside(start + 2), inside(start + 3)], weights };
  });
}
