import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Pixels } from '../../../../src/media-server/engine/pixels.ts';
import { warpTriangles } from '../../../../src/media-server/engine/swap/warp-triangles.ts';
import { sampledPixel } from './reference.ts';
import { seededRandom } from '../seeded-random.ts';
import { apart, pixelOf, randomPixels } from './random-pictures.ts';

describe('a warp', () => {
  test('interpolates every pixel from its four neighbours, at the edges too', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), (seed) => {
        const random = seededRandom(seed);
        const source = randomPixels(3 + Math.floor(30 * random()), 3 + Math.floor(30 * random()), random);
        const [width, height] = [5 + Math.floor(40 * random()), 5 + Math.floor(40 * random())];
        const affine = Array.from({ length: 6 }, () => random());
        const place = (x: number, y: number): [number, number] => [
          ((affine[0] ?? 0) * 2 - 0.7) * x + ((affine[1] ?? 0) - 0.5) * y + 20 * (affine[2] ?? 0),
          ((affine[3] ?? 0) - 0.5) * x + ((affine[4] ?? 0) * 2 - 0.7) * y + 20 * (affine[5] ?? 0),
        ];
        const corners = [0, 0, width, 0, width, height, 0, height];
        const to = new Float32Array(12);
        const from = new Float32Array(12);
        for (let n = 0; n < 4; n++) {
          const [x, y] = [corners[n * 2] ?? 0, corners[n * 2 + 1] ?? 0];
          to.set([x + 7, y + 3], n * 3);
          from.set(place(x, y), n * 3);
        }
        const out = new Uint8Array(width * height * 4);
        const mesh = { from, to, triangles: Uint16Array.of(0, 1, 2, 0, 2, 3) };
        warpTriangles(source, mesh, { x: 7, y: 3, width, height }, out);
        for (let y = 0; y < height; y++) {
          for (let x = 0; x < width; x++) {
            const [u, v] = place(x + 0.5, y + 0.5);
            const here = pixelOf({ width, height, data: out }, x, y);
            expect(apart(here, sampledPixel(source, u - 0.5, v - 0.5))).toBeLessThanOrEqual(4);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  test('leaves no hole between triangles, even where a pixel lies exactly on their common edge', () => {
    const source = randomPixels(8, 8, seededRandom(1));
    for (let width = 1; width < 40; width++) {
      for (let height = 1; height < 40; height++) {
        const corners = [0, 0, 0, width, 0, 0, width, height, 0, 0, height, 0];
        const to = Float32Array.from(corners, (value, n) =>
          n % 3 === 0 ? value + 7 : n % 3 === 1 ? value + 3 : 0,
        );
        const out = new Uint8Array(width * height * 4);
        const mesh = { from: Float32Array.from(corners), to, triangles: Uint16Array.of(0, 1, 2, 0, 2, 3) };
        warpTriangles(source, mesh, { x: 7, y: 3, width, height }, out);
        expect(out.filter((value, n) => n % 4 === 3 && value !== 255).length, `${width} x ${height}`).toBe(0);
      }
    }
  });

  test('of the identity changes no colour', () => {
    const source = randomPixels(37, 23, seededRandom(4));
    const points = Float32Array.of(0, 0, 0, 37, 0, 0, 37, 23, 0, 0, 23, 0);
    const mesh = { from: points, to: points, triangles: Uint16Array.of(0, 1, 2, 0, 2, 3) };
    const out = new Uint8Array(37 * 23 * 4);
    warpTriangles(source, mesh, { x: 0, y: 0, width: 37, height: 23 }, out);
    expect(Array.from(out)).toEqual(Array.from(source.data, (value, n) => (n % 4 === 3 ? 255 : value)));
  });

  test('draws nearer triangles over farther ones, whatever the signs of their depths, and the later one of equals', () => {
    const colours = [-2, 3, 0, 3, -1].map((depth, n) => ({ depth, n }));
    const source: Pixels = {
      width: 10,
      height: 2,
      data: Uint8Array.from({ length: 80 }, (_none, at) => (at % 4 === 3 ? 255 : Math.floor(at / 8) % 5)),
    };
    const from: number[] = [];
    const to: number[] = [];
    for (const { depth, n } of colours) {
      from.push(n * 2 + 1, 1, 0, n * 2 + 1, 1, 0, n * 2 + 1, 1, 0);
      to.push(0, 0, depth, 8, 0, depth, 0, 8, depth);
    }
    const out = new Uint8Array(4 * 4 * 4);
    const draw = (triangles: number[]): number => {
      const mesh = { from: Float32Array.from(from), to: Float32Array.from(to) };
      const area = { x: 0, y: 0, width: 4, height: 4 };
      warpTriangles(source, { ...mesh, triangles: Uint16Array.from(triangles) }, area, out);
      return out[0] ?? -1;
    };
    const [a, b, c, d, e] = [0, 1, 2, 3, 4].map((n) => [n * 3, n * 3 + 1, n * 3 + 2]);
    expect(draw([...(a ?? []), ...(b ?? []), ...(c ?? []), ...(d ?? []), ...(e ?? [])])).toBe(0);
    expect(draw([...(b ?? []), ...(e ?? []), ...(c ?? [])])).toBe(4);
    expect(draw([...(b ?? []), ...(d ?? [])])).toBe(3);
    expect(draw([...(d ?? []), ...(b ?? [])])).toBe(1);
  });
});
