import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Face, type FaceBox, landmarkBox } from '../../../src/media-server/engine/face/face.ts';
import { FaceReader } from '../../../src/media-server/engine/face/face-reader.ts';
import type { Pixels } from '../../../src/media-server/engine/pixels.ts';
import { FaceSwapper } from '../../../src/media-server/engine/swap/face-swapper.ts';
import { type SourceFace, cutSourceFace } from '../../../src/media-server/engine/swap/source-face.ts';
import { SwapMemory } from '../../../src/media-server/engine/swap/swap-memory.ts';
import { clipFrames } from './clip-frames.ts';
import { readPixels, sample } from './use-engine.ts';

let reader: FaceReader;
let frame: Pixels;
beforeAll(async () => {
  reader = await FaceReader.load();
  const [first] = await clipFrames('talking-man-640x360.mp4', 1);
  if (!first) throw new Error('The clip is empty');
  frame = first.pixels;
});
afterAll(() => reader[Symbol.asyncDispose]());

async function theFace(picture: Pixels): Promise<Face> {
  const face = await reader.findMain(picture);
  if (!face) throw new Error('Cannot find the face');
  return face;
}

async function faceOf(name: string): Promise<SourceFace> {
  const person = await readPixels(sample(name));
  return cutSourceFace(person, await theFace(person));
}

async function resized({ width, height, data }: Pixels, newWidth: number): Promise<Pixels> {
  const newHeight = Math.round((height * newWidth) / width);
  const raw = { width, height, channels: 4 as const };
  const resizedData = await sharp(data, { raw })
    .resize(newWidth, newHeight, { fit: 'fill' })
    .raw()
    .toBuffer();
  return { width: newWidth, height: newHeight, data: resizedData };
}

/**
 * Returns the finest detail in the middle of a face: the root mean square of each pixel's difference
 * from its four neighbours, in green.
 */
function fineDetail({ width, data }: Pixels, box: FaceBox): number {
  const green = (x: number, y: number): number => data[(y * width + x) * 4 + 1] ?? 0;
  let [sum, count] = [0, 0];
  for (let y = Math.round(box.y + 0.2 * box.height); y < box.y + 0.8 * box.height; y++) {
    for (let x = Math.round(box.x + 0.2 * box.width); x < box.x + 0.8 * box.width; x++, count++)
      sum += (4 * green(x, y) - green(x - 1, y) - green(x + 1, y) - green(x, y - 1) - green(x, y + 1)) ** 2;
  }
  return Math.sqrt(sum / count);
}

/** Returns the ratio of the fine detail after the swap to the fine detail before it. */
async function detailKept(picture: Pixels, source: SourceFace): Promise<number> {
  const { landmarks } = await theFace(picture);
  const result = { ...picture, data: Uint8Array.from(picture.data) };
  new FaceSwapper().swap(result, landmarks, source);
  const box = landmarkBox(landmarks);
  return fineDetail(result, box) / fineDetail(picture, box);
}

test.each(['portrait-woman-brown-hair.jpg', 'portrait-man-elderly.jpg'])(
  'a clip keeps its sharpness with the face of %s, if halving gives neither of the two sizes',
  async (name) => {
    expect(await detailKept(frame, await faceOf(name))).toBeGreaterThan(0.75);
  },
);

test.each([1.5, 2])('a clip enlarged %d times gets a face that is as soft', async (factor) => {
  const soft = await resized(frame, Math.round(640 * factor));
  const kept = await detailKept(soft, await faceOf('portrait-woman-curly-hair.jpg'));
  expect(kept).toBeGreaterThan(0.6);
  expect(kept).toBeLessThan(1.25);
});

test('a face does not alternate between sharp and soft while its size varies, or for one blurred picture', () => {
  const memory = new SwapMemory();
  const details = [100, 115, 90, 100, 60, 100].map((wanted, n) => memory.steadyDetail(wanted, n / 25));
  expect(new Set(details)).toEqual(new Set([100]));
  expect(memory.steadyDetail(140, 5)).toBeCloseTo(140, 1);
  memory.reset();
  expect(memory.steadyDetail(110, 5.04)).toBe(110);
});
