import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  FACE_OVAL,
  LANDMARK_COUNT,
  MIRRORED,
  TRIANGLES,
} from '../../../src/media-server/engine/face/mesh-topology.ts';
import { sampleCrop } from '../../../src/media-server/engine/face/sample-crop.ts';
import type { Pixels } from '../../../src/media-server/engine/pixels.ts';
import { coarseGrid } from '../../../src/media-server/engine/swap/coarse-grid.ts';
import { matchColours } from '../../../src/media-server/engine/swap/colour-match.ts';
import { SurfaceFit } from '../../../src/media-server/engine/swap/surface-fit.ts';
import { stretchMembrane } from '../../../src/media-server/engine/swap/stretch-membrane.ts';
import { Polygon } from '../../../src/media-server/engine/swap/polygon.ts';
import { alignToPose } from '../../../src/media-server/engine/swap/similarity-fit.ts';
import { warpTriangles } from '../../../src/media-server/engine/swap/warp-triangles.ts';

/** Draws a picture in which red increases by 2 per pixel to the right, and green by 2 per pixel downwards. */
function ramp(width: number, height: number): Pixels {
  const data = new Uint8Array(width * height * 4);
  for (let n = 0; n < width * height; n++)
    data.set([(n % width) * 2, Math.floor(n / width) * 2, 7, 255], n * 4);
  return { width, height, data };
}

describe('the triangle warp', () => {
  const square = Uint16Array.of(0, 1, 2, 0, 2, 3);
  const corners = (x: number, y: number, size: number): Float32Array =>
    Float32Array.of(x, y, 0, x + size, y, 0, x + size, y + size, 0, x, y + size, 0);

  test('reproduces a pattern under an affine map, without gaps between triangles', () => {
    const area = { x: 10, y: 20, width: 60, height: 60 };
    const out = new Uint8Array(area.width * area.height * 4);
    const mesh = { from: corners(30, 40, 30), to: corners(10, 20, 60), triangles: square };
    warpTriangles(ramp(100, 100), mesh, area, out);
    for (let n = 0; n < 3600; n++) {
      const [x, y] = [30 + ((n % 60) + 0.5) / 2, 40 + (Math.floor(n / 60) + 0.5) / 2];
      expect(out[n * 4 + 3]).toBe(255);
      expect(Math.abs((out[n * 4] ?? 0) - (x - 0.5) * 2)).toBeLessThanOrEqual(1);
      expect(Math.abs((out[n * 4 + 1] ?? 0) - (y - 0.5) * 2)).toBeLessThanOrEqual(1);
    }
  });

  test('writes only inside its area and leaves uncovered pixels transparent', () => {
    const out = new Uint8Array(20 * 20 * 4).fill(9);
    const mesh = { from: corners(0, 0, 10), to: corners(-50, -50, 60), triangles: square };
    warpTriangles(ramp(20, 20), mesh, { x: 0, y: 0, width: 20, height: 20 }, out);
    const covered = out.filter((_value, at) => at % 4 === 3);
    expect(covered[0]).toBe(255);
    expect(covered[11 * 20 + 11]).toBe(0);
  });

  test('draws the nearer triangle', () => {
    const from = Float32Array.of(...corners(0, 0, 2), ...corners(40, 0, 2));
    const near = corners(0, 0, 8).map((value, at) => (at % 3 === 2 ? -5 : value));
    const to = Float32Array.of(...near, ...corners(0, 0, 8));
    const triangles = Uint16Array.of(0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7);
    const out = new Uint8Array(8 * 8 * 4);
    warpTriangles(ramp(50, 10), { from, to, triangles }, { x: 0, y: 0, width: 8, height: 8 }, out);
    expect(Math.max(...out.filter((_value, at) => at % 4 === 0))).toBeLessThan(10);
  });
});

describe('the face mesh', () => {
  test('has 880 triangles that use every point, and is symmetric', () => {
    expect(TRIANGLES).toHaveLength(880 * 3);
    expect(new Set(TRIANGLES).size).toBe(LANDMARK_COUNT);
    expect(Array.from(MIRRORED, (point) => MIRRORED[point])).toEqual(Array.from(MIRRORED, (_point, n) => n));
  });

  test('is bounded only by the face’s oval and the open mouth', () => {
    const edges = new Map<string, number>();
    for (let n = 0; n < TRIANGLES.length; n++) {
      const next = n % 3 === 2 ? n - 2 : n + 1;
      const key = [TRIANGLES[n] ?? 0, TRIANGLES[next] ?? 0].sort((a, b) => a - b).join('-');
      edges.set(key, (edges.get(key) ?? 0) + 1);
    }
    const boundary = [...edges].filter(([, count]) => count === 1).map(([key]) => key);
    const oval = FACE_OVAL.map((point, n) =>
      [point, FACE_OVAL[(n + 1) % FACE_OVAL.length] ?? 0].sort((a, b) => a - b).join('-'),
    );
    expect(boundary).toHaveLength(oval.length + 20);
    expect(boundary).toEqual(expect.arrayContaining(oval));
  });
});

describe('the membrane', () => {
  test('of a constant difference is that constant everywhere', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer(),
        (w, h, seed) => {
          const weight = Float32Array.from({ length: w * h }, (_none, n) =>
            (n * 7919 + seed) % 5 === 0 ? 1 : 0,
          );
          weight[0] = 1;
          const membrane = stretchMembrane(w, h, new Float32Array(w * h).fill(12), weight);
          expect(Math.max(...membrane.map((value) => Math.abs(value - 12)))).toBeLessThan(1e-3);
        },
      ),
    );
  });

  test('without any trusted rim is flat', () => {
    expect(stretchMembrane(5, 4, new Float32Array(20).fill(50), new Float32Array(20))).toEqual(
      new Float32Array(20),
    );
  });

  test('ignores samples without weight and stays between the others', () => {
    const values = Float32Array.from({ length: 400 }, (_none, n) =>
      n % 20 === 0 ? -4 : n % 20 === 19 ? 8 : 250,
    );
    const weight = Float32Array.from({ length: 400 }, (_none, n) => (n % 20 === 0 || n % 20 === 19 ? 1 : 0));
    const membrane = stretchMembrane(20, 20, values, weight);
    expect(Math.min(...membrane)).toBeGreaterThanOrEqual(-4.001);
    expect(Math.max(...membrane)).toBeLessThanOrEqual(8.001);
    expect(membrane[205]).toBeLessThan(membrane[214] ?? 0);
  });
});

describe('the light', () => {
  test('follows a gradient and ignores outliers', () => {
    const grid = coarseGrid({ x: 0, y: 0, width: 48, height: 48 });
    const slope = (n: number): number => ((n % 48) / 48 - 0.5) * 0.4;
    const values = Float32Array.from({ length: 48 * 48 }, (_none, n) => (n % 11 < 2 ? 3 : slope(n)));
    const light = new SurfaceFit(grid, new Float32Array(values.length).fill(1)).fit(values, 0.1, 0.5);
    for (const n of [0, 47, 1000, 2000]) expect(light[n]).toBeCloseTo(slope(n), 1);
  });
});

describe('the colour match', () => {
  test('converts one skin tone to the other and keeps black black', () => {
    const [light, dark] = [
      { luma: 190, cb: -18, cr: 22 },
      { luma: 90, cb: -16, cr: 24 },
    ];
    for (const [from, to] of [
      [light, dark],
      [dark, light],
      [light, light],
    ] as const) {
      const { curve } = matchColours(from, to);
      expect(Math.abs((curve[from.luma] ?? 0) - to.luma)).toBeLessThan(4);
      expect(Math.abs(curve[0] ?? 99)).toBeLessThan(4);
      expect(curve.every((value, at) => at === 0 || value >= (curve[at - 1] ?? 0))).toBe(true);
    }
  });
});

describe('pose alignment', () => {
  test('undoes any rotation, scale and shift', () => {
    const shape = Float32Array.from({ length: 90 }, (_none, n) => Math.sin(n * 12.9898) * 50);
    fc.assert(
      fc.property(
        fc.double({ min: -3, max: 3, noNaN: true }),
        fc.double({ min: 0.2, max: 5, noNaN: true }),
        (angle, scale) => {
          const [cos, sin] = [Math.cos(angle) * scale, Math.sin(angle) * scale];
          const moved = new Float32Array(90);
          for (let at = 0; at < 90; at += 3) {
            const [x = 0, y = 0, z = 0] = shape.subarray(at, at + 3);
            moved.set([x * cos + z * sin + 100, y * scale - 40, z * cos - x * sin], at);
          }
          const back = alignToPose(shape, moved);
          expect(Math.max(...back.map((value, n) => Math.abs(value - (moved[n] ?? 0))))).toBeLessThan(
            0.05 * scale,
          );
        },
      ),
    );
  });
});

test('a polygon’s depth is positive inside, negative outside, and the distance to its edge', () => {
  const square = new Polygon(Float32Array.of(0, 0, 0, 10, 0, 0, 10, 10, 0, 0, 10, 0), [0, 1, 2, 3]);
  expect(square.depth(5, 4)).toBeCloseTo(4);
  expect(square.depth(13, 14)).toBeCloseTo(-5);
});

test('a crop that extends beyond the picture reads the outside value there and no NaN', () => {
  const out = new Float32Array(16 * 16 * 3);
  const range = { scale: 1, offset: 0, outside: 99 };
  sampleCrop(ramp(8, 7), { centreX: 4, centreY: 7, size: 16, angle: 0.4 }, 16, out, range);
  expect(out.every((value) => value >= 0 && value <= 255)).toBe(true);
  expect(out[0]).toBe(99);
});
