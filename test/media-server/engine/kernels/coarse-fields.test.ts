import { describe, expect, test } from 'vitest';
import { blendFace } from '../../../../src/media-server/engine/swap/blend-face.ts';
import {
  averageCells,
  cellCentre,
  coarseGrid,
} from '../../../../src/media-server/engine/swap/coarse-grid.ts';
import { matchColours } from '../../../../src/media-server/engine/swap/colour-match.ts';
import { depthField } from '../../../../src/media-server/engine/swap/depth-field.ts';
import { SurfaceFit } from '../../../../src/media-server/engine/swap/surface-fit.ts';
import { Polygon } from '../../../../src/media-server/engine/swap/polygon.ts';
import { blendedPixel } from './reference.ts';
import { seededRandom } from '../seeded-random.ts';
import { apart, pixelOf, randomPixels } from './random-pictures.ts';

describe('a blend', () => {
  test.each([
    { x: 5, y: 3, width: 83, height: 171 },
    { x: 0, y: 0, width: 31, height: 18 },
  ])('of %o mixes every pixel as its fields specify, and leaves the rest', (area) => {
    const random = seededRandom(area.width);
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

test('averages over cells count the covered pixels', () => {
  const picture = randomPixels(211, 160, seededRandom(11));
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

test('a depth field has the depths under all its outlines, and marks distant areas', () => {
  const random = seededRandom(21);
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

test('a surface fit comes close to the cubic that produced its values', () => {
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
