import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';
import { type CpuEngines, createCpuEngines } from '../../../../src/media-server/engine/cpu/cpu-engines.ts';
import { type Face, eyeDistanceOf, largestFace } from '../../../../src/media-server/engine/face/face.ts';
import { FaceReader } from '../../../../src/media-server/engine/face/face-reader.ts';
import { faceLikeness } from '../../../../src/media-server/engine/cpu/swap-check.ts';
import type { Pixels } from '../../../../src/media-server/engine/pixels.ts';
import type { IdentitySwapEngine } from '../../../../src/media-server/engine/identity-swap-engine.ts';
import type { RenderedVideo } from '../../../../src/media-server/engine/rendered.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { noAbort, readPixels, sample } from '../use-engine.ts';
import { cutClip, joinClips, moveWindow, shots, soundPackets } from './clips.ts';

const WOMAN = sample('talking-woman-512.mp4');
const MAN = sample('talking-man-640x360.mp4');
const CURLY = sample('portrait-woman-curly-hair.jpg');
const ELDERLY = sample('portrait-man-elderly.jpg');
const SECONDS = 0.2;

let engines: CpuEngines;
let reader: FaceReader;
beforeAll(async () => {
  [engines, reader] = await Promise.all([createCpuEngines({ workers: 1 }), FaceReader.load()]);
});
afterAll(() => Promise.all([engines[Symbol.asyncDispose](), reader[Symbol.asyncDispose]()]));

function engine(): IdentitySwapEngine {
  if (!engines.identitySwap) throw new TypeError('Cannot swap: there is no engine');
  return engines.identitySwap;
}

async function swap(
  videoPath: string,
  characterPath: string,
  resolution: '1k' | '2k' = '1k',
  signal = noAbort(),
): Promise<RenderedVideo & { path: string }> {
  const path = join(await useFolder(), 'result.mp4');
  const request = { videoPath, characterPath, resolution, outputPath: path };
  return { path, ...(await engine().swapIdentity(request, signal)) };
}

describe('an identity swap', () => {
  test.for([
    ['long hair by curly hair', WOMAN, CURLY],
    ['short black hair by receding grey hair', MAN, ELDERLY],
  ] as const)('replaces %s, head and hair, and nothing else', async ([_what, clip, character]) => {
    const base = await cutClip(clip, SECONDS);
    const result = await swap(base, character);
    const [before, after] = [await shots(base, 1024, 3, reader), await shots(result.path, 1024, 3, reader)];
    const person = await readPixels(character);
    const face = largestFace(await reader.find(person));
    if (!face) throw new Error('Cannot find the character');
    expect(after.map((shot) => shot.face !== undefined)).toEqual(before.map(() => true));
    for (const [n, old] of before.entries()) {
      const now = after[n];
      if (!now?.face || !old.face) throw new Error('Cannot compare without faces');
      const toCharacter = faceLikeness(now.pixels, now.face, person, face);
      expect(toCharacter).toBeGreaterThan(0.8);
      expect(toCharacter).toBeGreaterThan(faceLikeness(now.pixels, now.face, old.pixels, old.face));
      const wanted = scalpColour(person, face);
      const [was, is] = [scalpColour(old.pixels, old.face), scalpColour(now.pixels, old.face)];
      expect(apart(is, wanted)).toBeLessThan(0.5 * apart(was, wanted));
      expect(psnrFarFrom(old.face, old.pixels, now.pixels)).toBeGreaterThan(35);
    }
    expect(change(after, before)).toBeLessThan(1.5 * change(before, before));
  });

  test.for([
    ['light', ELDERLY],
    ['dark', CURLY],
  ] as const)('leaves no long hair beside a %s neck', async ([_tone, character]) => {
    const base = await cutClip(WOMAN, SECONDS);
    const result = await swap(base, character);
    const [before, after] = [await shots(base, 1024, 3, reader), await shots(result.path, 1024, 3, reader)];
    for (const [n, { face }] of before.entries()) {
      const now = after[n];
      if (!now || !face) throw new Error('Cannot look beside a neck without a face');
      expect(darkBesideNeck(now.pixels, face)).toBeLessThan(0.002);
    }
  });

  test('keeps length and size, and the sound to the last bit', async () => {
    const base = await cutClip(MAN, SECONDS);
    const codec = await MediabunnyCodec.load();
    const result = await swap(base, CURLY);
    const [old, now] = [await codec.probe(base), await codec.probe(result.path)];
    expect(now.video).toMatchObject({ width: 1024, height: 576 });
    expect(result).toMatchObject({ width: 1024, height: 576, mime: 'video/mp4' });
    expect(Math.abs(result.durationSeconds - SECONDS)).toBeLessThan(1 / 25);
    expect(Math.abs(now.durationSeconds - old.durationSeconds)).toBeLessThan(1 / 25);
    expect((await soundPackets(base)).length).toBeGreaterThan(5);
    expect(await soundPackets(result.path)).toEqual(await soundPackets(base));
  });

  test('renders 2k with a longer side of 2,048 pixels', async () => {
    const result = await swap(await cutClip(MAN, 0.08), ELDERLY, '2k');
    const codec = await MediabunnyCodec.load();
    expect((await codec.probe(result.path)).video).toMatchObject({ width: 2048, height: 1152 });
  });

  test.for([
    ['both sides of a cut between two people', () => joinClips([WOMAN, MAN], 0.12)],
    ['a moving camera', () => moveWindow(MAN, { width: 480, height: 360, count: 5 })],
  ] as const)('replaces heads on %s', async ([_what, clip]) => {
    const base = await clip();
    const result = await swap(base, ELDERLY);
    const [before, after] = [await shots(base, 1024, 1, reader), await shots(result.path, 1024, 1, reader)];
    const person = await readPixels(ELDERLY);
    const face = largestFace(await reader.find(person));
    if (!face) throw new Error('Cannot find the character');
    expect(after).toHaveLength(before.length);
    for (const [n, old] of before.entries()) {
      const now = after[n];
      if (!now?.face || !old.face) throw new Error(`Cannot compare picture ${n} without faces`);
      expect(faceLikeness(now.pixels, now.face, person, face)).toBeGreaterThan(0.8);
      const wanted = scalpColour(person, face);
      const [was, is] = [scalpColour(old.pixels, old.face), scalpColour(now.pixels, old.face)];
      expect(apart(is, wanted)).toBeLessThan(0.5 * apart(was, wanted));
      expect(psnrFarFrom(old.face, old.pixels, now.pixels)).toBeGreaterThan(32);
    }
  });

  test('leaves pictures without a face unchanged', async () => {
    const base = await cutClip(WOMAN, SECONDS, ({ data }, n) => {
      if (n >= 3) data.fill(90);
    });
    const result = await swap(base, ELDERLY);
    const after = await shots(result.path, 512, 1, reader);
    expect(after.slice(0, 2).every(({ face }) => face !== undefined)).toBe(true);
    const last = after.at(-1)?.pixels.data ?? new Uint8Array();
    expect(last.every((value, at) => at % 4 === 3 || Math.abs(value - 90) < 6)).toBe(true);
  });
});

describe('an identity swap that is impossible', () => {
  test.for([
    ['a character without a face', WOMAN, sample('no-face-landscape.jpg'), 'face_not_detected'],
    ['a character that is not a picture', WOMAN, sample('bad-text-named.png'), 'unsupported_format'],
    ['a clip without an index', sample('bad-video-no-index.mp4'), ELDERLY, 'unsupported_format'],
  ] as const)('ends for %s with %s', async ([_what, clip, character, code]) => {
    await expect(swap(clip, character)).rejects.toMatchObject({ code });
  });

  test('ends with face_not_detected for a clip without any face, and leaves no file', async () => {
    const base = await cutClip(WOMAN, 0.3, ({ data }) => void data.fill(120));
    const outputPath = join(await useFolder(), 'out.mp4');
    const request = { videoPath: base, characterPath: ELDERLY, resolution: '1k', outputPath } as const;
    await expect(engine().swapIdentity(request, noAbort())).rejects.toMatchObject({
      code: 'face_not_detected',
      message: expect.stringContaining('clip'),
    });
    await expect(access(outputPath)).rejects.toThrow('ENOENT');
  });

  test('ends with the reason of an abort', async () => {
    const controller = new AbortController();
    const swapping = swap(WOMAN, ELDERLY, '1k', controller.signal);
    controller.abort(new Error('Changed my mind'));
    await expect(swapping).rejects.toThrow('Changed my mind');
  });
});

type Colour = readonly [number, number, number];

/** Returns the mean colour of a patch above the forehead, where hair or scalp is. */
function scalpColour({ width, height, data }: Pixels, face: Face): Colour {
  const unit = eyeDistanceOf(face.landmarks);
  const top = face.landmarks[10 * 3 + 1] ?? 0;
  const middle = face.landmarks[10 * 3] ?? 0;
  const sums: [number, number, number] = [0, 0, 0];
  let count = 0;
  for (let y = Math.max(0, Math.round(top - 0.3 * unit)); y < Math.min(height, top - 0.05 * unit); y++) {
    for (
      let x = Math.max(0, Math.round(middle - unit * 0.4));
      x < Math.min(width, middle + unit * 0.4);
      x++
    ) {
      const at = (y * width + x) * 4;
      for (let channel = 0; channel < 3; channel++) {
        sums[channel] = (sums[channel] ?? 0) + (data[at + channel] ?? 0);
      }
      count++;
    }
  }
  return [sums[0] / count, sums[1] / count, sums[2] / count];
}

/**
 * Returns the share of pixels that are as dark as brown hair in the area beside the neck, from the jaw to the
 * shoulders.
 */
function darkBesideNeck({ width, data }: Pixels, { landmarks }: Face): number {
  const unit = eyeDistanceOf(landmarks);
  const [middle = 0, chin = 0] = landmarks.subarray(152 * 3, 152 * 3 + 2);
  let [dark, count] = [0, 0];
  for (let y = Math.ceil(chin); y < chin + 0.75 * unit; y++) {
    for (let x = Math.ceil(middle - 1.6 * unit); x < middle + 1.6 * unit; x++) {
      if (Math.abs(x - middle) < 0.45 * unit) continue;
      const at = (y * width + x) * 4;
      count++;
      if ((data[at] ?? 0) + (data[at + 1] ?? 0) + (data[at + 2] ?? 0) < 3 * 72) dark++;
    }
  }
  return dark / count;
}

function apart(a: Colour, b: Colour): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/**
 * Returns the PSNR in dB of two pictures in the areas to the left and right of the head, farther than 2.5 eye distances
 * from the middle of the face.
 */
function psnrFarFrom(face: Face, a: Pixels, b: Pixels): number {
  const reach = 2.5 * eyeDistanceOf(face.landmarks);
  const middle = face.box.x + face.box.width / 2;
  let [squares, count] = [0, 0];
  for (let at = 0; at < a.data.length; at += 4) {
    if (Math.abs(((at / 4) % a.width) - middle) < reach) continue;
    for (let channel = 0; channel < 3; channel++, count++) {
      squares += ((a.data[at + channel] ?? 0) - (b.data[at + channel] ?? 0)) ** 2;
    }
  }
  return 10 * Math.log10((255 * 255 * count) / Math.max(squares, 1e-9));
}

/**
 * Returns how far, in pixels, the content of the head's box seems to move from frame to frame: the change
 * divided by the gradient, so that heads of different contrast are comparable.
 */
function change(
  pictures: readonly { pixels: Pixels }[],
  places: readonly { face: Face | undefined }[],
): number {
  let [sum, gradient] = [0, 0];
  for (let n = 1; n < pictures.length; n++) {
    const [a, b, box] = [pictures[n - 1]?.pixels, pictures[n]?.pixels, places[n]?.face?.box];
    if (!a || !b || !box) throw new Error('Cannot compare without a head');
    const [left, right] = [Math.max(0, box.x - box.width / 2), Math.min(a.width, box.x + 1.5 * box.width)];
    const [top, bottom] = [Math.max(0, box.y - box.height / 2), Math.min(a.height, box.y + 1.2 * box.height)];
    for (let y = Math.ceil(top); y < bottom; y++) {
      for (let x = Math.ceil(left); x < right - 1; x++) {
        const at = (y * a.width + x) * 4 + 1;
        const value = b.data[at] ?? 0;
        sum += Math.abs((a.data[at] ?? 0) - value);
        gradient += Math.abs((b.data[at + 4] ?? 0) - value);
      }
    }
  }
  return sum / gradient;
}
