import type { Pixels } from '../../../../src/media-server/engine/pixels.ts';

/** Returns pixels of random colours, a fifth of them transparent. */
export function randomPixels(width: number, height: number, random: () => number): Pixels {
  const data = Uint8Array.from({ length: width * height * 4 }, (_none, n) =>
    n % 4 === 3 ? (random() < 0.2 ? 0 : 255) : random() * 256,
  );
  return { width, height, data };
}

/** Returns the pixel's red, green, blue and opacity. */
export function pixelOf({ width, data }: Pixels, x: number, y: number): number[] {
  return Array.from(data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4));
}

/** Returns the largest difference between two lists of the same length. */
export function apart(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) throw new TypeError('Cannot compare lists of different lengths');
  return Math.max(...a.map((value, n) => Math.abs(value - (b[n] ?? Number.NaN))));
}
