import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import sharp from 'sharp';
import { CpuLiveSwap } from '../../../src/media-server/engine/live/cpu-live-swap.ts';
import type { Pixels } from '../../../src/media-server/engine/pixels.ts';
import { asJpeg, clipFrames } from './clip-frames.ts';
import { sample } from './use-engine.ts';

const ELDERLY = { face: { id: 'elderly-man' } } as const;

let engine: CpuLiveSwap;
let camera: Uint8Array[];
beforeAll(async () => {
  engine = new CpuLiveSwap({ places: 1 });
  const frames = await clipFrames('talking-man-640x360.mp4', 12);
  camera = await Promise.all(frames.map(({ pixels }) => asJpeg(pixels)));
});
afterAll(() => engine[Symbol.asyncDispose]());

async function decoded(jpeg: Uint8Array): Promise<Pixels> {
  const { data, info } = await sharp(jpeg).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

/** Returns the mean difference in green within a square of 80 x 80 pixels. */
function difference(a: Pixels, b: Pixels, left: number, top: number): number {
  let sum = 0;
  for (let y = top; y < top + 80; y++) {
    for (let x = left; x < left + 80; x++) {
      const at = (y * a.width + x) * 4 + 1;
      sum += Math.abs((a.data[at] ?? 0) - (b.data[at] ?? 0));
    }
  }
  return sum / 6400;
}

function firstOf(jpegs: readonly Uint8Array[]): Uint8Array {
  const [first] = jpegs;
  if (!first) throw new Error('Cannot test without pictures');
  return first;
}

describe('a live stream', () => {
  test('changes the face and leaves the rest of the picture unchanged', async () => {
    await using stream = await engine.open(ELDERLY);
    const [before, after] = [
      await decoded(firstOf(camera)),
      await decoded(await stream.swap(firstOf(camera))),
    ];
    expect([after.width, after.height]).toEqual([640, 360]);
    expect(difference(before, after, 280, 120)).toBeGreaterThan(6);
    expect(difference(before, after, 10, 10)).toBeLessThan(2);
    expect(difference(before, after, 540, 250)).toBeLessThan(2);
  });

  test('answers overlapping pictures in order', async () => {
    await using stream = await engine.open(ELDERLY);
    const order: number[] = [];
    const answers = await Promise.all(
      camera.slice(0, 8).map(async (jpeg, n) => {
        const answer = await stream.swap(jpeg);
        order.push(n);
        return answer;
      }),
    );
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(new Set(answers.map((answer) => Buffer.from(answer).toString('base64'))).size).toBe(8);
  });

  test('rejects pictures beyond eight that wait, and continues with the rest', async () => {
    await using stream = await engine.open(ELDERLY);
    const outcomes = await Promise.allSettled(camera.slice(0, 10).map((jpeg) => stream.swap(jpeg)));
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([
      ...Array.from({ length: 8 }, () => true),
      false,
      false,
    ]);
    expect((await stream.swap(firstOf(camera))).length).toBeGreaterThan(0);
  });

  test('returns a picture without a face byte for byte', async () => {
    await using stream = await engine.open(ELDERLY);
    const landscape = await readFile(sample('no-face-landscape.jpg'));
    expect(Buffer.compare(await stream.swap(landscape), landscape)).toBe(0);
  });

  test('rejects data that is not a JPEG, damaged or too large, and continues', async () => {
    await using stream = await engine.open(ELDERLY);
    const png = await readFile(sample('portrait-man-short-hair.png'));
    const truncated = await readFile(sample('bad-image-truncated.jpg'));
    const huge = Uint8Array.from(firstOf(camera));
    const header = Buffer.from(huge).indexOf(Buffer.of(0xff, 0xc0));
    new DataView(huge.buffer).setUint16(header + 5, 60_000);
    const long = Buffer.concat([firstOf(camera), Buffer.alloc(2_000_000)]);
    const outcomes = await Promise.allSettled(
      [new Uint8Array(0), Uint8Array.of(0xff, 0xd8, 0xff), png, truncated, huge, long].map((bytes) =>
        stream.swap(bytes),
      ),
    );
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code)).toEqual([
      'unsupported_format',
      'unsupported_format',
      'unsupported_format',
      'unsupported_format',
      'input_too_large',
      'input_too_large',
    ]);
    expect((await stream.swap(firstOf(camera))).length).toBeGreaterThan(0);
  });

  test('accepts no more pictures after it is closed', async () => {
    const stream = await engine.open(ELDERLY);
    await stream[Symbol.asyncDispose]();
    await expect(stream.swap(firstOf(camera))).rejects.toMatchObject({ code: 'processing_failed' });
  });
});

describe('the places', () => {
  test('are released when a stream is closed, and nobody gets one that is taken', async () => {
    const first = await engine.open(ELDERLY);
    await expect(engine.open(ELDERLY)).rejects.toMatchObject({ code: 'capacity_unavailable' });
    await first[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
    await using second = await engine.open(ELDERLY);
    await expect(engine.open(ELDERLY)).rejects.toMatchObject({ code: 'capacity_unavailable' });
    expect((await second.swap(firstOf(camera))).length).toBeGreaterThan(0);
  });

  test('are not taken if the given face cannot be used', async () => {
    const faceless = { face: { path: sample('no-face-landscape.jpg') } };
    await expect(engine.open(faceless)).rejects.toMatchObject({ code: 'face_not_detected' });
    await expect(engine.open({ face: { id: 'nobody' } })).rejects.toThrow(RangeError);
    await using stream = await engine.open({ face: { path: sample('portrait-woman-curly-hair.jpg') } });
    expect((await stream.swap(firstOf(camera))).length).toBeGreaterThan(0);
  });
});

test('every face that comes with the server can be used, and each looks different', async () => {
  const pictures: string[] = [];
  for (const { id } of engine.faces) {
    await using stream = await engine.open({ face: { id } });
    pictures.push(Buffer.from(await stream.swap(firstOf(camera))).toString('base64'));
  }
  expect(new Set(pictures).size).toBe(6);
});
