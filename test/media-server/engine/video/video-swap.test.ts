import { access, copyFile, open, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';
import { type CpuEngines, createCpuEngines } from '../../../../src/media-server/engine/cpu/cpu-engines.ts';
import type { Pixels } from '../../../../src/media-server/engine/pixels.ts';
import type { RenderedVideo, ResolutionP } from '../../../../src/media-server/engine/rendered.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { type ClipRecipe, makeClip, quarters } from '../codec/make-clip.ts';
import { pictureTimes, soundPackets } from '../codec/packets.ts';
import { noAbort, sample } from '../use-engine.ts';
import { difference, firstPictures, samplePicture } from './face-pictures.ts';

const MAN = 'portrait-man-dark-hair.jpg';
const FACE = sample('portrait-man-elderly.jpg');
const INNER_FACE = { left: 0.42, top: 0.35, right: 0.58, bottom: 0.6 };
const CORNER = { left: 0, top: 0, right: 0.2, bottom: 0.3 };

let engines: CpuEngines;
beforeAll(async () => {
  engines = await createCpuEngines({ workers: 1 });
});
afterAll(() => engines[Symbol.asyncDispose]());

async function swap(
  videoPath: string,
  options: { resolutionP?: ResolutionP; facePath?: string; signal?: AbortSignal } = {},
): Promise<RenderedVideo & { outputPath: string }> {
  const outputPath = join(await useFolder(), 'result.mp4');
  const { facePath = FACE, resolutionP, signal = noAbort() } = options;
  if (!engines.videoSwap) throw new Error('There is no engine');
  try {
    const result = await engines.videoSwap.swapVideo(
      { videoPath, facePath, resolutionP, outputPath },
      signal,
    );
    return { ...result, outputPath };
  } catch (error) {
    await expect(access(outputPath)).rejects.toMatchObject({ code: 'ENOENT' });
    throw error;
  }
}

async function clip(recipe: Omit<ClipRecipe, 'path'>): Promise<string> {
  const path = join(await useFolder(), recipe.format === 'vp9' ? 'a.webm' : 'a.mp4');
  await makeClip({ ...recipe, path });
  return path;
}

async function expectSwapped(path: string, outputPath: string): Promise<void> {
  const [[before], [after]] = await Promise.all([firstPictures(path, 1), firstPictures(outputPath, 1)]);
  if (!before || !after) throw new Error('A picture is missing');
  expect([after.width, after.height]).toEqual([before.width, before.height]);
  expect(difference(before, after, INNER_FACE)).toBeGreaterThan(6);
  expect(difference(before, after, CORNER)).toBeLessThan(2.5);
}

const regular = (count: number, rate: number): number[] => Array.from({ length: count }, (_u, n) => n / rate);
let man: Pixels;
let landscape: Pixels;
beforeAll(async () => {
  man = await samplePicture(MAN, 320, 240);
  landscape = await samplePicture('no-face-landscape.jpg', 320, 240);
});

describe('a swapped clip', () => {
  test('has another face, and otherwise the same pictures, times and sound', async () => {
    const pictures = await firstPictures(sample('talking-man-640x360.mp4'), 12);
    const sound = { seconds: 0.6, channels: 2 };
    const path = await clip({ pictures: (n) => pictures[n] ?? man, timestamps: regular(12, 25), sound });
    const { outputPath, ...result } = await swap(path);
    expect(result).toEqual({
      width: 640,
      height: 360,
      durationSeconds: expect.closeTo(0.48, 3),
      mime: 'video/mp4',
    });
    await expectSwapped(path, outputPath);
    expect(await pictureTimes(outputPath)).toEqual(await pictureTimes(path));
    expect(await soundPackets(outputPath)).toEqual(await soundPackets(path));
  });

  test.each([
    [320, 240, 640, 480],
    [240, 320, 480, 640],
  ])('of %i x %i has the requested size', async (width, height, wantedWidth, wantedHeight) => {
    const picture = await samplePicture(MAN, width, height);
    const path = await clip({ pictures: () => picture, timestamps: [0, 0.04] });
    const { outputPath, ...result } = await swap(path, { resolutionP: 480 });
    expect(result).toMatchObject({ width: wantedWidth, height: wantedHeight });
    const codec = await MediabunnyCodec.load();
    expect(await codec.probe(outputPath)).toMatchObject({
      video: { width: wantedWidth, height: wantedHeight },
      audio: undefined,
    });
  });

  test.each([90, 180, 270] as const)('that players rotate by %i degrees is upright', async (rotation) => {
    const picture = await samplePicture(MAN, 320, 240, -rotation);
    const path = await clip({ pictures: () => picture, timestamps: [0, 0.04], rotation });
    const { outputPath, ...result } = await swap(path);
    expect(result).toMatchObject({ width: 320, height: 240 });
    await expectSwapped(path, outputPath);
  });

  test.each([
    ['irregular times', [0, 0.04, 0.05, 0.3, 1.5]],
    ['a single picture', [0]],
    ['one picture per second', [0, 1, 2]],
    ['120 pictures per second', regular(8, 120)],
  ])('with %s keeps them', async (_name, timestamps) => {
    const path = await clip({ pictures: () => man, timestamps, lastDuration: 0.1 });
    const { outputPath, durationSeconds } = await swap(path);
    const times = await pictureTimes(outputPath);
    expect(times).toHaveLength(timestamps.length);
    for (const [n, at] of times.entries()) expect(at).toBeCloseTo(timestamps[n] ?? -1, 3);
    expect(durationSeconds).toBeCloseTo((timestamps.at(-1) ?? 0) + 0.1, 2);
    await expectSwapped(path, outputPath);
  });

  test('of an odd size, in a WebM with Opus, has even sides and its sound', async () => {
    const picture = await samplePicture(MAN, 359, 203);
    const sound = { seconds: 0.2, channels: 1 };
    const path = await clip({ pictures: () => picture, timestamps: regular(3, 25), format: 'vp9', sound });
    const { outputPath, ...result } = await swap(path);
    expect(result).toMatchObject({ width: 360, height: 204 });
    const digests = async (file: string): Promise<string[]> =>
      (await soundPackets(file)).map(({ digest }) => digest);
    expect(await digests(outputPath)).toEqual(await digests(path));
    await expectSwapped(path, outputPath);
  });

  test('with transparency becomes opaque', async () => {
    const data = Uint8Array.from(man.data, (value, n) => (n % 4 === 3 && n < 320 * 80 * 4 ? 60 : value));
    const pictures = (): Pixels => ({ ...man, data });
    const path = await clip({ pictures, timestamps: [0, 0.04], format: 'vp9', keepAlpha: true });
    const { outputPath } = await swap(path);
    await expectSwapped(path, outputPath);
  });

  test('with two people changes one of them only', async () => {
    const group = await samplePicture('group-two-faces.jpg', 512, 384);
    const path = await clip({ pictures: () => group, timestamps: [0, 0.04] });
    const { outputPath } = await swap(path);
    const [[before], [after]] = await Promise.all([firstPictures(path, 1), firstPictures(outputPath, 1)]);
    if (!before || !after) throw new Error('A picture is missing');
    const changes = [0, 0.5].map((left) => {
      const parts = Array.from({ length: 32 }, (_u, n) => {
        const [x, y] = [left + (n % 4) / 8, Math.floor(n / 4) / 8];
        return difference(before, after, { left: x, top: y, right: x + 1 / 8, bottom: y + 1 / 8 });
      });
      return Math.max(...parts);
    });
    expect(Math.min(...changes)).toBeLessThan(4);
    expect(Math.max(...changes)).toBeGreaterThan(7);
  });

  test('passes on pictures without a face unchanged', async () => {
    const path = await clip({ pictures: (n) => (n < 3 ? man : landscape), timestamps: regular(6, 25) });
    const { outputPath } = await swap(path);
    const [before, after] = await Promise.all([firstPictures(path, 6), firstPictures(outputPath, 6)]);
    const changes = before.map((picture, n) => difference(picture, after[n] ?? man, INNER_FACE));
    for (const [n, change] of changes.entries()) {
      if (n < 3) expect(change).toBeGreaterThan(6);
      else expect(change).toBeLessThan(4);
    }
  });

  test('whose data is truncated ends there', async () => {
    const path = sample('bad-video-cut-off.mp4');
    const { outputPath, durationSeconds } = await swap(path);
    expect(durationSeconds).toBeGreaterThan(0.5);
    expect(durationSeconds).toBeLessThan(5.5);
    const times = await pictureTimes(outputPath);
    expect(times.length / 25).toBeCloseTo(durationSeconds, 1);
  });
});

describe('a clip that cannot be used', () => {
  test('without any face ends with face_not_detected', async () => {
    const path = await clip({ pictures: () => landscape, timestamps: regular(4, 25) });
    await expect(swap(path)).rejects.toMatchObject({ code: 'face_not_detected' });
  });

  test('with a face picture without a face ends with face_not_detected', async () => {
    const path = await clip({ pictures: () => man, timestamps: [0] });
    const facePath = sample('no-face-landscape.jpg');
    await expect(swap(path, { facePath })).rejects.toMatchObject({ code: 'face_not_detected' });
  });

  test.each([
    'bad-video-no-index.mp4',
    'bad-text-named.png',
    'portrait-man-elderly.jpg',
    'speech-man-48k.wav',
  ])('%s ends with unsupported_format', async (name) => {
    await expect(swap(sample(name))).rejects.toMatchObject({ code: 'unsupported_format' });
  });

  test('without a duration ends with unsupported_format', async () => {
    const path = join(await useFolder(), 'a.mp4');
    await writeFile(path, '');
    await expect(swap(path)).rejects.toMatchObject({ code: 'unsupported_format' });
  });

  test('whose data is noise ends with a job error', async () => {
    const path = await clip({ pictures: () => man, timestamps: regular(4, 25) });
    const bytes = await readFile(path);
    const start = bytes.indexOf('mdat') + 4;
    const end = bytes.indexOf('moov') - 4;
    for (let at = start; at < end; at++) bytes[at] = (at * 2654435761) >>> 24;
    await writeFile(path, bytes);
    await expect(swap(path)).rejects.toMatchObject({ code: 'unsupported_format' });
  });

  test('named like another kind of file is read nevertheless', async () => {
    const path = await clip({ pictures: () => man, timestamps: [0, 0.04] });
    const renamed = join(await useFolder(), 'a.avi');
    await copyFile(path, renamed);
    await expect(swap(renamed)).resolves.toMatchObject({ width: 320 });
  });

  test('with 100 megapixels in its header ends with input_too_large', async () => {
    const path = await clip({ pictures: () => quarters(64, 48), timestamps: [0, 0.04] });
    const bytes = await readFile(path);
    // Sets the width and height in the sample entry.
    const entry = bytes.lastIndexOf('avc1') + 28;
    bytes.writeUInt16BE(12_000, entry);
    bytes.writeUInt16BE(9_000, entry + 2);
    await writeFile(path, bytes);
    await expect(swap(path)).rejects.toMatchObject({ code: 'input_too_large' });
  });

  test('of ten hours ends with input_too_large', async () => {
    const path = await clip({ pictures: () => man, timestamps: [0, 36_000] });
    await expect(swap(path)).rejects.toMatchObject({ code: 'input_too_large' });
  });

  test('of ten hours of silence ends with unsupported_format, quickly', async () => {
    const path = join(await useFolder(), 'a.wav');
    await writeSilence(path, 36_000);
    await expect(swap(path)).rejects.toMatchObject({ code: 'unsupported_format' });
    const codec = await MediabunnyCodec.load();
    expect(await codec.probe(path)).toMatchObject({ durationSeconds: 36_000, audio: { channels: 2 } });
    for await (const piece of codec.readAudio(path, 16_000)) {
      expect(piece.length).toBeLessThan(200_000);
      break;
    }
  });

  test('whose render exceeds its time limit fails alone', async () => {
    const clock = new FakeClock();
    await using hasty = await createCpuEngines({ workers: 1, renderTimeoutMs: 700, clock });
    const folder = await useFolder();
    const request = {
      videoPath: sample('talking-man-640x360.mp4'),
      facePath: FACE,
      resolutionP: 1080,
    } as const;
    for (const name of ['a.mp4', 'b.mp4']) {
      const outputPath = join(folder, name);
      let isOver = false;
      const swapping = Promise.allSettled([
        hasty.videoSwap?.swapVideo({ ...request, outputPath }, noAbort()),
      ]);
      void swapping.then(() => (isOver = true));
      await vi.waitFor(
        async () => {
          await clock.advance(700);
          expect(isOver).toBe(true);
        },
        { timeout: 20_000, interval: 5 },
      );
      expect(await swapping).toMatchObject([{ status: 'rejected', reason: { code: 'processing_failed' } }]);
    }
    expect(await readdir(folder)).toEqual([]);
  });

  test('whose render is aborted leaves no file, and the next one works', async () => {
    const path = await clip({ pictures: () => man, timestamps: regular(100, 25) });
    const controller = new AbortController();
    const outcome = Promise.allSettled([swap(path, { signal: controller.signal })]);
    await setImmediate();
    controller.abort(new Error('No longer wanted'));
    expect(await outcome).toMatchObject([{ status: 'rejected', reason: { message: 'No longer wanted' } }]);
    const short = await clip({ pictures: () => man, timestamps: [0] });
    await expect(swap(short)).resolves.toMatchObject({ width: 320 });
  });
});

/** Writes a sparse WAV file: a header, and zeros that take up no room on the disk. */
async function writeSilence(path: string, seconds: number): Promise<void> {
  const dataBytes = 4 * 8_000 * seconds;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(dataBytes + 36, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(2, 22);
  header.writeUInt32LE(8_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(4, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(dataBytes, 40);
  await using file = await open(path, 'w');
  await file.write(header);
  await file.truncate(44 + dataBytes);
  expect((await stat(path)).size).toBe(44 + dataBytes);
}
