import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rgbaToYuv, yuvToRgba } from '../../../src/media-server/engine/codec/yuv-convert.ts';
import type { YuvMatrix, YuvPicture } from '../../../src/media-server/engine/codec/yuv-picture.ts';
import { sampleCrop } from '../../../src/media-server/engine/face/sample-crop.ts';
import { copyRows, openKernels } from '../../../src/media-server/engine/kernels/kernels.ts';
import type { Pixels, Rect } from '../../../src/media-server/engine/pixels.ts';
import { blendFace } from '../../../src/media-server/engine/swap/blend.ts';
import { averageCells, cellCentre, coarseGrid } from '../../../src/media-server/engine/swap/coarse-grid.ts';
import { matchColours } from '../../../src/media-server/engine/swap/colour-match.ts';
import { depthField } from '../../../src/media-server/engine/swap/depth-field.ts';
import { SurfaceFit } from '../../../src/media-server/engine/swap/light-fit.ts';
import { Polygon } from '../../../src/media-server/engine/swap/polygon.ts';
import { warpTriangles } from '../../../src/media-server/engine/swap/triangle-warp.ts';
import { blendedPixel, croppedValue, decodedPixel, encodedSample, sampledPixel } from './reference.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDER = join(ROOT, 'src/media-server/engine/kernels');

/** Numbers from 0 to 1, the same ones each time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

function randomPixels(width: number, height: number, random: () => number): Pixels {
  const data = Uint8Array.from({ length: width * height * 4 }, (_none, n) =>
    n % 4 === 3 ? (random() < 0.2 ? 0 : 255) : random() * 256,
  );
  return { width, height, data };
}

function pixelOf({ width, data }: Pixels, x: number, y: number): number[] {
  return Array.from(data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4));
}

/** The greatest difference between two lists of the same length. */
function apart(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) throw new TypeError('Cannot compare lists of different lengths');
  return Math.max(...a.map((value, n) => Math.abs(value - (b[n] ?? Number.NaN))));
}

test('the compiled kernels are what their source compiles to', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kernels-'));
  try {
    const asc = join(ROOT, 'node_modules/assemblyscript/bin/asc.js');
    const fresh = join(folder, 'fresh.wasm');
    const args = [asc, '--config', join(FOLDER, 'asconfig.json'), '--outFile', fresh];
    await promisify(execFile)(process.execPath, args);
    const [compiled, committed] = await Promise.all([
      readFile(fresh),
      readFile(join(FOLDER, 'kernels.wasm')),
    ]);
    expect(compiled.equals(committed), 'run `npm run kernels`').toBe(true);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

describe('the memory of the kernels', () => {
  test('grows to what is asked for, and parts do not touch', () => {
    const { bytes, at } = openKernels(3, 5_000_000, 40_000_000);
    const [a = 0, b = 0, c = 0] = at;
    expect([a % 16, b % 16, c % 16]).toEqual([0, 0, 0]);
    expect(b - a).toBeGreaterThanOrEqual(3);
    expect(c - b).toBeGreaterThanOrEqual(5_000_000);
    expect(bytes.length - c).toBeGreaterThanOrEqual(40_000_000);
  });

  test('is given back after a large picture', () => {
    openKernels(100_000_000);
    expect(openKernels(1_000).bytes.length).toBeLessThan(1_000_000);
  });

  test('has a bound', () => {
    expect(() => openKernels(2 ** 30)).toThrow('Cannot work on');
  });

  test('takes rows at one distance and gives them at another', () => {
    const from = { bytes: Uint8Array.of(1, 2, 3, 4, 5, 6), at: 1, stride: 3 };
    const to = { bytes: new Uint8Array(8), at: 0, stride: 4 };
    copyRows(from, to, 2, 2);
    expect(Array.from(to.bytes)).toEqual([2, 3, 0, 0, 5, 6, 0, 0]);
  });
});

describe('a warp', () => {
  test('draws every pixel from between its four neighbours, at the edges too', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), (seed) => {
        const random = randomNumbers(seed);
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
    const source = randomPixels(8, 8, randomNumbers(1));
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
    const source = randomPixels(37, 23, randomNumbers(4));
    const points = Float32Array.of(0, 0, 0, 37, 0, 0, 37, 23, 0, 0, 23, 0);
    const mesh = { from: points, to: points, triangles: Uint16Array.of(0, 1, 2, 0, 2, 3) };
    const out = new Uint8Array(37 * 23 * 4);
    warpTriangles(source, mesh, { x: 0, y: 0, width: 37, height: 23 }, out);
    expect(Array.from(out)).toEqual(Array.from(source.data, (value, n) => (n % 4 === 3 ? 255 : value)));
  });

  test('draws nearer triangles over farther ones, whatever the signs of their depths, the later of equals', () => {
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

describe('a crop', () => {
  test('has the values of the samples under it, cut up or not, inside and outside the picture', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), (seed) => {
        const random = randomNumbers(seed);
        const picture = randomPixels(20 + Math.floor(60 * random()), 20 + Math.floor(60 * random()), random);
        const size = 8;
        const crop = {
          centreX: picture.width * random(),
          centreY: picture.height * random(),
          size: 5 + 90 * random(),
          angle: 6 * random() - 3,
        };
        const range = { scale: 1 / 127.5, offset: -1, outside: 127 };
        const out = new Float32Array(size * size * 3);
        sampleCrop(picture, crop, size, out, range);
        const told = Array.from(out, (_none, n) => croppedValue(picture, crop, size, range, n));
        expect(apart(Array.from(out), told)).toBeLessThan(1e-5);
      }),
    );
  });

  test('of a picture too large to copy at once is put together from parts', () => {
    const picture = randomPixels(2_400, 1_800, randomNumbers(7));
    const crop = { centreX: 1_200, centreY: 900, size: 2_500, angle: 0.6 };
    const range = { scale: 1, offset: 0, outside: 0 };
    const out = new Float32Array(16 * 16 * 3);
    sampleCrop(picture, crop, 16, out, range);
    const told = Array.from(out, (_none, n) => croppedValue(picture, crop, 16, range, n));
    expect(apart(Array.from(out), told)).toBeLessThan(1e-3);
  });
});

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
    const from = randomYuv(matrix, randomNumbers(3));
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
    const from = randomPixels(70, 46, randomNumbers(5));
    for (const area of areas) {
      const to = randomYuv(matrix, randomNumbers(6));
      const before = Uint8Array.from(to.data);
      rgbaToYuv(from, area, to);
      const told = Array.from(before, (value, n) => encodedSample(from, to, area, n) ?? value);
      expect(apart(Array.from(to.data), told)).toBeLessThanOrEqual(1);
      const outside = told.map((value, n) => encodedSample(from, to, area, n) === undefined && value);
      expect(outside.every((value, n) => value === false || value === to.data[n])).toBe(true);
    }
  });
});

describe('a blend', () => {
  test.each([
    { x: 5, y: 3, width: 83, height: 171 },
    { x: 0, y: 0, width: 31, height: 18 },
  ])('of %o mixes every pixel as its fields say, and leaves the rest', (area) => {
    const random = randomNumbers(area.width);
    const target = randomPixels(97, 181, random);
    const before = { ...target, data: Uint8Array.from(target.data) };
    const warped = randomPixels(area.width, area.height, random);
    const grid = coarseGrid(area);
    const field = (value: () => number): Float32Array =>
      Float32Array.from({ length: grid.columns * grid.rows }, value);
    const fields = {
      opacity: field(() => (random() < 0.3 ? 0 : random())),
      light: field(() => 0.6 + 0.8 * random()),
      luma: field(() => 20 * random() - 10),
      cb: field(() => 10 * random() - 5),
      cr: field(() => 10 * random() - 5),
      eyes: field(() => (random() < 0.5 ? 0 : random())),
    };
    const match = matchColours({ luma: 180, cb: -15, cr: 20 }, { luma: 110, cb: -12, cr: 25 });
    blendFace(target, warped.data, grid, fields, match, 0.9);
    let changed = 0;
    for (let y = 0; y < target.height; y++) {
      for (let x = 0; x < target.width; x++) {
        const told = blendedPixel(before, warped, grid, fields, match, 0.9, x, y);
        expect(apart(pixelOf(target, x, y), told)).toBeLessThanOrEqual(1);
        if (apart(told, pixelOf(before, x, y)) > 5) changed++;
      }
    }
    expect(changed).toBeGreaterThan(area.width * area.height * 0.2);
  });
});

test('averages over cells count what is covered', () => {
  const picture = randomPixels(211, 160, randomNumbers(11));
  const grid = coarseGrid({ x: 9, y: 4, width: 197, height: 150 });
  const { luma, cover } = averageCells(picture, { x: 0, y: 0 }, grid);
  for (const [column, row] of [
    [0, 0],
    [30, 20],
    [grid.columns - 1, grid.rows - 1],
  ] as const) {
    let [sum, count, all] = [0, 0, 0];
    for (let y = row * grid.cell; y < Math.min(150, (row + 1) * grid.cell); y++) {
      for (let x = column * grid.cell; x < Math.min(197, (column + 1) * grid.cell); x++, all++) {
        const [red = 0, green = 0, blue = 0, alpha = 0] = pixelOf(picture, 9 + x, 4 + y);
        if (alpha === 0) continue;
        sum += 0.299 * red + 0.587 * green + 0.114 * blue;
        count++;
      }
    }
    const n = row * grid.columns + column;
    expect(luma[n]).toBeCloseTo(sum / count, 3);
    expect(cover[n]).toBeCloseTo(count / all, 6);
  }
});

test('a depth field has the depths under all its outlines, and tells what is far', () => {
  const random = randomNumbers(21);
  const points = Float32Array.from({ length: 72 }, (_none, n) => {
    const turn = (Math.floor(n / 3) % 12) / 12;
    const reach = 20 + 15 * random();
    return (
      (n < 36 ? 60 : 100) +
      reach * (n % 3 === 0 ? Math.cos(turn * 2 * Math.PI) : Math.sin(turn * 2 * Math.PI))
    );
  });
  const outlines = [0, 12].map(
    (first) =>
      new Polygon(
        points,
        Array.from({ length: 12 }, (_none, n) => first + n),
      ),
  );
  const grid = coarseGrid({ x: 11, y: 7, width: 190, height: 177 });
  const field = depthField(grid, outlines, 12);
  let near = 0;
  for (let n = 0; n < field.length; n++) {
    const { x, y } = cellCentre(grid, n % grid.columns, Math.floor(n / grid.columns));
    const depth = Math.max(...outlines.map((outline) => outline.depth(x, y)));
    if (depth < -12) expect(field[n]).toBeLessThan(-12);
    else expect(Math.abs((field[n] ?? Number.NaN) - depth)).toBeLessThan(1e-3);
    if (depth >= -12) near++;
  }
  expect(near).toBeGreaterThan(500);
});

test('a surface fit comes close to a cubic that the values lie on', () => {
  const grid = coarseGrid({ x: 0, y: 0, width: 36, height: 30 });
  const height = (n: number): number => {
    const x = (2 * (n % 36)) / 36 - 1;
    const y = (2 * Math.floor(n / 36)) / 30 - 1;
    return (
      0.1 -
      0.2 * x +
      0.1 * y +
      0.1 * x * y -
      0.05 * y * y +
      0.1 * x * x * y -
      0.1 * y * y * y +
      0.05 * x * x * x
    );
  };
  const values = Float32Array.from({ length: 36 * 30 }, (_none, n) => height(n));
  const surface = new SurfaceFit(grid, new Float32Array(values.length).fill(1)).fit(values, 0.2, 0.7);
  expect(apart(Array.from(surface), Array.from(values))).toBeLessThan(0.05);
});
