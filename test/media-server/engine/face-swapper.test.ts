import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Face, landmarkBox } from '../../../src/media-server/engine/face/face.ts';
import { FaceReader } from '../../../src/media-server/engine/face/face-reader.ts';
import { INNER_LIPS } from '../../../src/media-server/engine/face/mesh-topology.ts';
import type { Pixels } from '../../../src/media-server/engine/pixels.ts';
import { FaceSwapper } from '../../../src/media-server/engine/swap/face-swapper.ts';
import { cutSourceFace } from '../../../src/media-server/engine/swap/source-face.ts';
import { SwapMemory } from '../../../src/media-server/engine/swap/swap-memory.ts';
import { targetShape } from '../../../src/media-server/engine/swap/target-shape.ts';
import { readPixels, sample } from './use-engine.ts';

let reader: FaceReader;
let elderly: Pixels;
let elderlyFace: Face;
let person: Pixels;
let personFace: Face;

beforeAll(async () => {
  reader = await FaceReader.load();
  elderly = await readPixels(sample('portrait-man-elderly.jpg'));
  person = await readPixels(sample('portrait-woman-brown-hair.jpg'));
  [elderlyFace, personFace] = [await theFace(elderly), await theFace(person)];
});
afterAll(() => reader[Symbol.asyncDispose]());

async function theFace(picture: Pixels): Promise<Face> {
  const [face] = await reader.find(picture);
  if (!face) throw new Error('Cannot find the face');
  return face;
}

function swapped(base: Pixels, face: Face, source: Pixels, sourceFace: Face): Pixels {
  const result = { ...base, data: Uint8Array.from(base.data) };
  new FaceSwapper().swap(result, face.landmarks, cutSourceFace(source, sourceFace));
  return result;
}

function lumaAt({ data, width }: Pixels, x: number, y: number): number {
  const at = (Math.round(y) * width + Math.round(x)) * 4;
  return 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
}

function openMouth(landmarks: Float32Array, gapPx: number): Float32Array {
  const open = Float32Array.from(landmarks);
  for (const point of INNER_LIPS.slice(11)) open[point * 3 + 1] = (open[point * 3 + 1] ?? 0) + gapPx;
  return open;
}

test('nothing outside the outline of the face changes by a single bit', () => {
  const result = swapped(elderly, elderlyFace, person, personFace);
  const box = landmarkBox(elderlyFace.landmarks);
  let changedOutside = 0;
  let changedInside = 0;
  for (let at = 0; at < result.data.length; at++) {
    if (result.data[at] === elderly.data[at]) continue;
    const [x, y] = [(at >> 2) % result.width, Math.floor((at >> 2) / result.width)];
    const inside = x >= box.x - 1 && x <= box.x + box.width && y >= box.y - 1 && y <= box.y + box.height;
    if (inside) changedInside++;
    else changedOutside++;
  }
  expect(changedOutside).toBe(0);
  expect(changedInside).toBeGreaterThan(50_000);
});

test('the same swap gives the same bytes each time, whatever was swapped in between', () => {
  const swapper = new FaceSwapper();
  const source = cutSourceFace(person, personFace);
  const [first, second, other] = [elderly, elderly, person].map(({ data, ...size }) => ({
    ...size,
    data: Uint8Array.from(data),
  }));
  if (!first || !second || !other) throw new Error('Cannot copy');
  swapper.swap(first, elderlyFace.landmarks, source);
  swapper.swap(other, personFace.landmarks, cutSourceFace(elderly, elderlyFace));
  swapper.swap(second, elderlyFace.landmarks, source);
  expect(Buffer.compare(first.data, second.data)).toBe(0);
});

test('the person’s fringe is not transferred with the face', async () => {
  const fringe = '<svg width="768" height="768"><path d="M240 262H530V180H240Z" fill="#2a1a10"/></svg>';
  const { data, info } = await sharp(sample('portrait-woman-brown-hair.jpg'))
    .composite([{ input: Buffer.from(fringe) }])
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const fringed = { width: info.width, height: info.height, data };
  const fringedFace = await theFace(fringed);
  const result = swapped(elderly, elderlyFace, fringed, fringedFace);
  for (const point of [10, 109, 338, 67, 297, 108, 337, 151]) {
    const [x = 0, y = 0] = elderlyFace.landmarks.subarray(point * 3);
    expect(Math.abs(lumaAt(result, x, y) - lumaAt(elderly, x, y))).toBeLessThan(20);
  }
});

test('the hair of the base stays in front of the new face', async () => {
  const fringe = '<svg width="768" height="768"><path d="M240 250H530V120H240Z" fill="#2a1a10"/></svg>';
  const { data, info } = await sharp(sample('portrait-man-elderly.jpg'))
    .composite([{ input: Buffer.from(fringe) }])
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const fringed = { width: info.width, height: info.height, data };
  const result = swapped(fringed, await theFace(fringed), person, personFace);
  for (let x = 300; x <= 450; x += 10) expect(lumaAt(result, x, 240)).toBeLessThan(45);
});

test('features get the person’s proportions, and the outline stays that of the base', () => {
  const shape = targetShape(elderlyFace.landmarks, personFace.landmarks);
  const moved = (point: number): number =>
    Math.hypot(
      (shape[point * 3] ?? 0) - (elderlyFace.landmarks[point * 3] ?? 0),
      (shape[point * 3 + 1] ?? 0) - (elderlyFace.landmarks[point * 3 + 1] ?? 0),
    );
  for (const outline of [10, 152, 234, 454, 58, 288]) expect(moved(outline)).toBeLessThan(0.01);
  expect(Math.max(...[1, 2, 98, 327, 61, 291, 105, 334].map(moved))).toBeGreaterThan(4);
});

test('an open mouth stays open and keeps its own teeth', () => {
  const open = openMouth(elderlyFace.landmarks, 24);
  const shape = targetShape(open, personFace.landmarks);
  for (const point of INNER_LIPS) {
    expect(Math.abs((shape[point * 3 + 1] ?? 0) - (open[point * 3 + 1] ?? 0))).toBeLessThan(2);
  }
  const result = { ...elderly, data: Uint8Array.from(elderly.data) };
  new FaceSwapper().swap(result, open, cutSourceFace(person, personFace));
  const [x = 0, top = 0] = open.subarray(13 * 3);
  for (let y = top + 6; y < top + 18; y++) expect(lumaAt(result, x, y)).toBe(lumaAt(elderly, x, y));
});

test('a mouth that opens shows its inside gradually and does not pop', () => {
  const source = cutSourceFace(person, personFace);
  const swapper = new FaceSwapper();
  const shown = Array.from({ length: 17 }, (_none, n) => {
    const open = openMouth(elderlyFace.landmarks, n);
    // The inside of the mouth is black, to distinguish it from both people's lips.
    const black = { ...elderly, data: Uint8Array.from(elderly.data) };
    const [left = 0, right = 0] = [78, 308].map((point) => Math.round(open[point * 3] ?? 0));
    const [top = 0, bottom = 0] = [13, 14].map((point) => Math.round(open[point * 3 + 1] ?? 0));
    for (let y = top; y < bottom; y++) black.data.fill(0, (y * 768 + left) * 4, (y * 768 + right) * 4);
    for (let at = 3; at < black.data.length; at += 4) black.data[at] = 255;
    swapper.swap(black, open, source);
    return lumaAt(black, (left + right) / 2, (top + bottom) / 2);
  });
  const steps = shown.slice(1).map((luma, n) => Math.abs(luma - (shown[n] ?? 0)));
  expect((shown[0] ?? 0) - (shown.at(-1) ?? 0)).toBeGreaterThan(40);
  expect(Math.max(...steps)).toBeLessThan(0.6 * ((shown[0] ?? 0) - (shown.at(-1) ?? 0)));
});

test('a face that extends beyond the picture is swapped as far as it is visible', () => {
  const half = { width: 390, height: 768, data: new Uint8Array(390 * 768 * 4) };
  for (let row = 0; row < 768; row++) {
    half.data.set(elderly.data.subarray(row * 768 * 4, row * 768 * 4 + 390 * 4), row * 390 * 4);
  }
  const result = swapped(half, elderlyFace, person, personFace);
  const whole = swapped(elderly, elderlyFace, person, personFace);
  const [x = 0, y = 0] = elderlyFace.landmarks.subarray(105 * 3);
  expect(Math.abs(lumaAt(result, x, y) - lumaAt(whole, x, y))).toBeLessThan(20);
});

test('gives the same pixels on the part around the face as in the whole picture', () => {
  const [x, y, width, height] = [200, 160, 400, 440];
  const part = { width, height, data: new Uint8Array(width * height * 4) };
  for (let row = 0; row < height; row++) {
    const start = ((y + row) * 768 + x) * 4;
    part.data.set(elderly.data.subarray(start, start + width * 4), row * width * 4);
  }
  const whole = { ...elderly, data: Uint8Array.from(elderly.data) };
  const source = cutSourceFace(person, personFace);
  const swapper = new FaceSwapper();
  const area = swapper.swap(whole, elderlyFace.landmarks, source);
  expect(swapper.swap(part, elderlyFace.landmarks, source, { origin: { x, y } })).toEqual(area);
  let furthest = 0;
  for (let row = 0; row < height; row++) {
    for (let n = 0; n < width * 4; n++) {
      const there = whole.data[((y + row) * 768 + x) * 4 + n] ?? 0;
      furthest = Math.max(furthest, Math.abs((part.data[row * width * 4 + n] ?? 0) - there));
    }
  }
  expect(furthest).toBeLessThan(4);
});

test('shows as much of the new face as requested', () => {
  const at = (weight: number): number => {
    const result = { ...elderly, data: Uint8Array.from(elderly.data) };
    new FaceSwapper().swap(result, elderlyFace.landmarks, cutSourceFace(person, personFace), { weight });
    let sum = 0;
    for (let n = 0; n < result.data.length; n++) {
      sum += Math.abs((result.data[n] ?? 0) - (elderly.data[n] ?? 0));
    }
    return sum;
  };
  expect(at(0)).toBe(0);
  expect(at(0.5) / at(1)).toBeCloseTo(0.5, 1);
});

test('light and colour do not flicker between the pictures of a clip', () => {
  const source = cutSourceFace(person, personFace);
  const swapper = new FaceSwapper();
  /** Returns the total change in brightness from frame to frame at one point of a face in alternating light. */
  const flicker = (memory: SwapMemory | undefined): number => {
    let [last, sum] = [Number.NaN, 0];
    for (let n = 0; n < 8; n++) {
      const gain = n % 2 ? 1.06 : 0.94;
      const picture = {
        ...elderly,
        data: elderly.data.map((value, at) => (at % 4 < 3 ? value * gain : value)),
      };
      const options = memory ? { memory, seconds: n * 0.04 } : {};
      swapper.swap(picture, elderlyFace.landmarks, source, options);
      const [x = 0, y = 0] = elderlyFace.landmarks.subarray(50 * 3);
      const now = lumaAt(picture, x, y);
      if (n > 1) sum += Math.abs(now - last);
      last = now;
    }
    return sum;
  };
  expect(flicker(new SwapMemory())).toBeLessThan(0.5 * flicker(undefined));
});

test('a black-and-white picture stays without colours', () => {
  const grey = { ...elderly, data: Uint8Array.from(elderly.data) };
  for (let at = 0; at < grey.data.length; at += 4) {
    grey.data.fill(lumaAt(elderly, (at >> 2) % 768, Math.floor((at >> 2) / 768)), at, at + 3);
  }
  const result = swapped(grey, elderlyFace, person, personFace);
  let colour = 0;
  for (let at = 0; at < result.data.length; at += 4) {
    const [red = 0, green = 0, blue = 0] = result.data.subarray(at, at + 3);
    colour = Math.max(colour, Math.max(red, green, blue) - Math.min(red, green, blue));
  }
  expect(colour).toBeLessThan(12);
});
