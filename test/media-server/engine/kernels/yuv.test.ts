import { describe, expect, test } from 'vitest';
import { rgbaToYuv, yuvToRgba } from '../../../../src/media-server/engine/codec/yuv-convert.ts';
import type { YuvMatrix, YuvPicture } from '../../../../src/media-server/engine/codec/yuv-picture.ts';
import type { Rect } from '../../../../src/media-server/engine/pixels.ts';
import { decodedPixel, encodedSample } from './reference.ts';
import { seededRandom } from '../seeded-random.ts';
import { apart, pixelOf, randomPixels } from './random-pictures.ts';

describe('colours', () => {
  const matrices: readonly YuvMatrix[] = ['bt601', 'bt709', 'bt2020'];
  const areas: readonly Rect[] = [
    { x: 0, y: 0, width: 70, height: 46 },
    { x: 2, y: 4, width: 6, height: 2 },
    { x: 22, y: 10, width: 42, height: 36 },
  ];

  function randomYuv(matrix: YuvMatrix, random: () => number): YuvPicture {
    const data = Uint8Array.from({ length: 70 * 46 * 1.5 }, () => random() * 256);
    return {
      width: 70,
      height: 46,
      data,
      colours: { matrix, codes: { matrix: 2, primaries: 2, transfer: 2 } },
    };
  }

  test.each(matrices)('of %s become RGBA within a level, in the area only', (matrix) => {
    const from = randomYuv(matrix, seededRandom(3));
    for (const area of areas) {
      const to = { width: 70, height: 46, data: new Uint8Array(70 * 46 * 4).fill(9) };
      yuvToRgba(from, area, to);
      for (let y = 0; y < 46; y++) {
        for (let x = 0; x < 70; x++) {
          const isIn = x >= area.x && y >= area.y && x < area.x + area.width && y < area.y + area.height;
          const told = isIn ? decodedPixel(from, x, y) : [9, 9, 9, 9];
          expect(apart(pixelOf(to, x, y), told)).toBeLessThanOrEqual(isIn ? 1 : 0);
        }
      }
    }
  });

  test.each(matrices)('of RGBA become %s within a level, in the area only', (matrix) => {
    const from = randomPixels(70, 46, seededRandom(5));
    for (const area of areas) {
      const to = randomYuv(matrix, seededRandom(6));
      const before = Uint8Array.from(to.data);
      rgbaToYuv(from, area, to);
      const told = Array.from(before, (value, n) => encodedSample(from, to, area, n) ?? value);
      expect(apart(Array.from(to.data), told)).toBeLessThanOrEqual(1);
      const outside = told.map((value, n) => encodedSample(from, to, area, n) === undefined && value);
      expect(outside.every((value, n) => value === false || value === to.data[n])).toBe(true);
    }
  });
});
