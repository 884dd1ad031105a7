import { copyFile, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as mediabunny from 'mediabunny';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { planClip } from '../../../../src/bot/media/fit/clip-plan.ts';
import { Fitter } from '../../../../src/bot/media/fit/fitter.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { CONFINEMENT } from '../../../helpers/use-media-pool.ts';

const NEVER = new AbortController().signal;
const SAMPLES = join(import.meta.dirname, '../../../samples');
const fitter = new Fitter({ confinement: CONFINEMENT, clock: systemClock, log: silentLogger });

async function useSample(name: string): Promise<{ path: string; toPath: string }> {
  const path = join(await useFolder(), name);
  await copyFile(join(SAMPLES, name), path);
  return { path, toPath: `${path}.small` };
}

/** Creates a noise picture, which cannot be compressed. */
async function useNoise(side: number, alpha = false): Promise<{ path: string; toPath: string }> {
  const path = join(await useFolder(), 'noise.png');
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const grey = sharp({ create: { width: side, height: side, channels: 3, background: '#000', noise } });
  await writeFile(path, await (alpha ? grey.ensureAlpha(0.5) : grey).png().toBuffer());
  return { path, toPath: `${path}.small` };
}

describe('a picture that is too large', () => {
  test('is encoded with no more loss than needed', async () => {
    const file = await useSample('portrait-man-short-hair.png');

    const gentle = await fitter.fit('image', { ...file, bytesMax: 120_000 }, NEVER);
    const gentleSize = (await stat(file.toPath)).size;
    const { width } = await sharp(await readFile(file.toPath)).metadata();
    await fitter.fit('image', { ...file, bytesMax: 20_000 }, NEVER);

    expect(gentle).toEqual({ mime: 'image/jpeg' });
    expect(gentleSize).toBeLessThanOrEqual(120_000);
    expect(width).toBe((await sharp(await readFile(file.path)).metadata()).width);
    expect((await stat(file.toPath)).size).toBeLessThan(gentleSize);
    expect((await stat(file.toPath)).size).toBeLessThanOrEqual(20_000);
  });

  test('stays transparent', async () => {
    const file = await useNoise(200, true);

    expect(await fitter.fit('image', { ...file, bytesMax: 40_000 }, NEVER)).toEqual({ mime: 'image/webp' });
    expect((await sharp(await readFile(file.toPath)).metadata()).hasAlpha).toBe(true);
  });

  test('is not changed if the loss would be too great', async () => {
    const file = await useNoise(400);

    expect(await fitter.fit('image', { ...file, bytesMax: 3_000 }, NEVER)).toBeUndefined();
    expect(await readdir(dirname(file.path))).toEqual(['noise.png']);
  });
});

async function readClip(path: string): Promise<{ seconds: number; tracks: string[]; height: number }> {
  using input = new mediabunny.Input({
    formats: mediabunny.ALL_FORMATS,
    source: new mediabunny.BufferSource(await readFile(path)),
  });
  const video = await input.getPrimaryVideoTrack();
  const tracks = (await input.getTracks()).map(({ codec }) => String(codec));
  return { seconds: await input.computeDuration(), tracks, height: video?.displayHeight ?? 0 };
}

describe('a clip that is too large', () => {
  test('is encoded to fit, with its whole length and its sound', async () => {
    const file = await useSample('talking-woman-512.mp4');
    const bytesMax = 250_000;
    const before = await readClip(file.path);

    expect(await fitter.fit('video', { ...file, bytesMax }, NEVER)).toEqual({ mime: 'video/mp4' });

    expect((await stat(file.toPath)).size).toBeLessThanOrEqual(bytesMax);
    const after = await readClip(file.toPath);
    expect(after.tracks).toEqual(before.tracks);
    expect(after.seconds).toBeCloseTo(before.seconds, 0);
    expect(await readdir(dirname(file.path))).toHaveLength(2);
  });

  test('is not changed if the loss would be too great or the clip cannot be read', async () => {
    const file = await useSample('talking-man-640x360.mp4');
    const broken = await useSample('bad-video-no-index.mp4');

    expect(await fitter.fit('video', { ...file, bytesMax: 30_000 }, NEVER)).toBeUndefined();
    expect(await fitter.fit('video', { ...broken, bytesMax: 30_000 }, NEVER)).toBeUndefined();
    expect(await readdir(dirname(file.path))).toHaveLength(1);
  });

  test('is given up when its signal aborts', async () => {
    const file = await useSample('talking-woman-512.mp4');
    const stop = new AbortController();
    const fitting = fitter.fit('video', { ...file, bytesMax: 200_000 }, stop.signal);
    stop.abort(new Error('Enough'));

    await expect(fitting).rejects.toThrow('Enough');
    expect(await readdir(dirname(file.path))).toHaveLength(1);
  });
});

const MINUTE = { durationSeconds: 60, width: 1_920, height: 1_080, frameRate: 30, soundBitrate: 128_000 };

describe('the encoding plan of a clip', () => {
  test.each([
    [25, 1_080],
    [15, 720],
    [7, 540],
    [4, 360],
    [3, undefined],
  ])('of a minute in %i MB has a shorter side of %s', (megabytes, side) => {
    expect(planClip(MINUTE, megabytes * 1_000_000)?.shorterSide).toBe(side);
  });

  test('reserves room for the sound, and never enlarges pictures', () => {
    const plan = planClip({ ...MINUTE, width: 300, height: 401 }, 10_000_000);

    expect(plan?.shorterSide).toBe(300);
    expect(((plan?.bitrate ?? 0) + MINUTE.soundBitrate) * 60).toBeLessThan(80_000_000);
    expect(planClip({ ...MINUTE, durationSeconds: 0 }, 10_000_000)).toBeUndefined();
  });
});
