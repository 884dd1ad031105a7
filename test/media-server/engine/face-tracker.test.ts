import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eyeDistanceOf } from '../../../src/media-server/engine/face/face.ts';
import { FaceReader } from '../../../src/media-server/engine/face/face-reader.ts';
import type { Pixels } from '../../../src/media-server/engine/pixels.ts';
import { FaceTracker, type TrackedFace } from '../../../src/media-server/engine/track/face-tracker.ts';
import { OneEuroFilter } from '../../../src/media-server/engine/track/one-euro-filter.ts';
import { SwapWeight } from '../../../src/media-server/engine/track/swap-weight.ts';
import { type ClipFrame, clipFrames } from './clip-frames.ts';
import { readPixels, sample } from './use-engine.ts';

let reader: FaceReader;
let clip: ClipFrame[];
let followed: TrackedFace[];
let elderly: Pixels;
let landscape: Pixels;
let group: Pixels;

beforeAll(async () => {
  reader = await FaceReader.load();
  [clip, elderly, landscape, group] = await Promise.all([
    clipFrames('talking-man-640x360.mp4', 60),
    readPixels(sample('portrait-man-elderly.jpg')),
    readPixels(sample('no-face-landscape.jpg')),
    readPixels(sample('group-two-faces.jpg')),
  ]);
  const tracker = new FaceTracker(reader);
  followed = (await trackAll(tracker, clip)).flatMap((face) => face ?? []);
});
afterAll(() => reader[Symbol.asyncDispose]());

async function trackAll(
  tracker: FaceTracker,
  pictures: readonly { readonly pixels: Pixels; readonly timestamp: number }[],
): Promise<(TrackedFace | undefined)[]> {
  const seen: (TrackedFace | undefined)[] = [];
  for (const { pixels, timestamp } of pictures) seen.push(await tracker.next(pixels, timestamp));
  return seen;
}

/** Returns `picture` shifted by whole pixels, with its edge repeated. */
function moved({ width, height, data }: Pixels, dx: number): Pixels {
  const out = new Uint8Array(data.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (y * width + Math.min(width - 1, Math.max(0, x - dx))) * 4;
      out.set(data.subarray(from, from + 4), (y * width + x) * 4);
    }
  }
  return { width, height, data: out };
}

/** Returns the root mean square of the jitter between frames, as a fraction of the eye distance. */
function trembling(series: readonly Float32Array[], points: readonly number[]): number {
  let [sum, count] = [0, 0];
  for (let n = 2; n + 2 < series.length; n++) {
    for (const at of points.flatMap((point) => [point * 3, point * 3 + 1])) {
      const [a = 0, b = 0, c = 0, d = 0, e = 0] = series.slice(n - 2, n + 3).map((points) => points[at] ?? 0);
      sum += ((a - 4 * b + 6 * c - 4 * d + e) / 16) ** 2;
      count++;
    }
  }
  return Math.sqrt(sum / count) / eyeDistanceOf(series[0] ?? new Float32Array());
}

describe('the main face of a clip', () => {
  test('is detected once and tracked from then on', () => {
    expect(followed).toHaveLength(60);
    expect(followed.map(({ isNew }) => isNew)).toEqual([true, ...Array.from({ length: 59 }, () => false)]);
    expect(Math.min(...followed.map(({ presence }) => presence))).toBeGreaterThan(0.9);
    expect(Math.min(...followed.map(({ weight }) => weight))).toBe(1);
  });

  test('jitters a third less than the measurements, and lags by under 1 % of the eye distance', () => {
    const still = [1, 4, 6, 33, 263, 10, 234, 454, 50, 280, 105, 334];
    const [raw, smooth] = [followed.map((face) => face.rawLandmarks), followed.map((face) => face.landmarks)];
    expect(trembling(smooth, still)).toBeLessThan(0.67 * trembling(raw, still));
    let [sum, count] = [0, 0];
    for (const { landmarks, rawLandmarks } of followed) {
      for (const point of still) {
        sum += Math.hypot(
          (landmarks[point * 3] ?? 0) - (rawLandmarks[point * 3] ?? 0),
          (landmarks[point * 3 + 1] ?? 0) - (rawLandmarks[point * 3 + 1] ?? 0),
        );
        count++;
      }
    }
    const [first] = raw;
    expect(first && sum / count / eyeDistanceOf(first)).toBeLessThan(0.01);
  });

  test('closes its lids only when the person blinks', () => {
    const shut = followed.flatMap(({ lidsClosed }, n) => (lidsClosed > 0.9 ? [n] : []));
    expect(shut.length).toBeGreaterThan(0);
    expect(shut.every((n) => n >= 29 && n <= 34)).toBe(true);
    expect(followed.filter(({ lidsClosed }) => lidsClosed > 0.3).length).toBeLessThan(8);
    const gap = (face: TrackedFace | undefined): number =>
      face ? Math.abs((face.landmarks[159 * 3 + 1] ?? 0) - (face.landmarks[145 * 3 + 1] ?? 0)) : Number.NaN;
    expect(gap(followed[shut[0] ?? 0])).toBeLessThan(0.35 * gap(followed[10]));
  });

  test('is detected again after a cut, and lost while nobody is visible', async () => {
    const tracker = new FaceTracker(reader);
    const [first, second] = [clip[0]?.pixels, clip[1]?.pixels];
    if (!first || !second) throw new Error('Cannot test without pictures');
    const pictures = [first, second, elderly, landscape, landscape, elderly];
    const seen = await trackAll(
      tracker,
      pictures.map((pixels, n) => ({ pixels, timestamp: n * 0.04 })),
    );
    expect(seen.map((face) => face?.isNew)).toEqual([true, false, true, undefined, undefined, true]);
    expect(seen.map((face) => face?.weight)).toEqual([1, 1, 1, undefined, undefined, 1]);
  });

  test('is the larger face at first, and another one only after that was covered for a second', async () => {
    const tracker = new FaceTracker(reader);
    expect((await tracker.next(group, 0))?.box.x).toBeLessThan(512);
    const [main, other] = (await reader.find(group)).sort((a, b) => b.box.width - a.box.width);
    if (!main || !other) throw new Error('Cannot find both faces');
    const covered = { ...group, data: Uint8Array.from(group.data) };
    for (let y = Math.floor(main.box.y); y < main.box.y + main.box.height; y++) {
      const at = (y * group.width + Math.floor(main.box.x)) * 4;
      covered.data.fill(90, at, at + Math.ceil(main.box.width) * 4);
    }
    const times = [0.04, 0.5, 0.9, 1.6].map((timestamp) => ({ pixels: covered, timestamp }));
    const seen = (await trackAll(tracker, times)).map((face) => face?.box.x ?? 0);
    expect(seen.slice(0, 3)).toEqual([0, 0, 0]);
    expect(Math.abs((seen[3] ?? 0) - other.box.x)).toBeLessThan(10);
    // The other face is still tracked, although the larger one is visible again.
    expect((await tracker.next(group, 1.64))?.box.x).toBeGreaterThan(512);
  });

  test('is tracked over a jump of a tenth of its size', async () => {
    const tracker = new FaceTracker(reader);
    const jumps = [0, 8, 16, 40, 64].map((dx, n) => ({ pixels: moved(elderly, dx), timestamp: n * 0.04 }));
    const positions = await trackAll(tracker, jumps);
    expect(positions.every((face, n) => face && (n === 0 || !face.isNew))).toBe(true);
    expect((positions[4]?.box.x ?? 0) - (positions[0]?.box.x ?? 0)).toBeGreaterThan(52);
  });
});

describe('the visible share of a swap', () => {
  test('fades between 38 and 45 degrees and is zero beyond', () => {
    const at = (degrees: number): number => new SwapWeight().next(degrees, 0.04, true);
    expect([0, -37, 41.5, -41.5, 46, -60].map(at)).toEqual([1, 1, 0.5, 0.5, 0, 0]);
  });

  test('does not flicker with a head that stays at the limit', () => {
    const weight = new SwapWeight();
    const seen = [46, 44, 45.5, 43, 44.9, 46].map((degrees, n) => weight.next(degrees, 0.04, n === 0));
    expect(seen).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('fades in and out within a sixth of a second, not at once', () => {
    const weight = new SwapWeight();
    weight.next(50, 0.04, true);
    const back = Array.from({ length: 5 }, () => weight.next(10, 0.04, false));
    expect(back.map((value) => Math.round(value * 100))).toEqual([25, 50, 75, 100, 100]);
  });
});

test('the filter holds resting points and follows moving ones', () => {
  const filter = new OneEuroFilter({ restHz: 1, hzPerSpeed: 16, speedHz: 3 });
  const point = (x: number): Float32Array => Float32Array.of(x, 0, 0);
  let rest = 0;
  for (let n = 0; n < 50; n++) rest = filter.next(point(n % 2 ? 0.1 : -0.1), 0.04, 100)[0] ?? 9;
  expect(Math.abs(rest)).toBeLessThan(0.05);
  let position = 0;
  for (let n = 1; n <= 25; n++) position = filter.next(point(n * 8), 0.04, 100)[0] ?? 0;
  expect(200 - position).toBeLessThan(4);
});

test('a coarse search finds the same face as a fine one, within 0.6 % of its height', async () => {
  const [close] = await reader.find(elderly);
  const coarse = await reader.findMain(elderly);
  if (!close || !coarse) throw new Error('Cannot find the face');
  let sum = 0;
  for (let at = 0; at < close.landmarks.length; at += 3) {
    sum += Math.hypot(
      (close.landmarks[at] ?? 0) - (coarse.landmarks[at] ?? 0),
      (close.landmarks[at + 1] ?? 0) - (coarse.landmarks[at + 1] ?? 0),
    );
  }
  expect(sum / 468 / close.box.height).toBeLessThan(0.006);
  expect(await reader.findMain(landscape)).toBeUndefined();
  expect((await reader.findMain(group))?.box.x).toBeLessThan(512);
});
