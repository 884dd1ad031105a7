import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AvatarEngine, AvatarRequest } from '../../../../src/media-server/engine/avatar-engine.ts';
import { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';
import { type CpuEngines, createCpuEngines } from '../../../../src/media-server/engine/cpu/cpu-engines.ts';
import { FaceReader } from '../../../../src/media-server/engine/face/face-reader.ts';
import type { RenderedVideo } from '../../../../src/media-server/engine/rendered.ts';
import { type Speech, Speaker } from '../../../../src/media-server/engine/speech/speaker.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { type FaceSeries, blinks, correlation, faceSeries } from '../animate/face-series.ts';
import { pictureOf, psnr, soundOf } from '../animate/use-clips.ts';
import { noAbort, readPixels, sample } from '../use-engine.ts';

const PORTRAIT = sample('portrait-man-short-hair.png');
const SCRIPT = 'Good morning, and welcome. Far away, a small boat moves over the calm water.';
const WHOLE = { left: 0, top: 0, right: 1, bottom: 1 };

let engines: CpuEngines;
let avatar: AvatarEngine;
let codec: MediabunnyCodec;
let folder: string;
let count = 0;
let speech: Speech;
let clip: RenderedVideo & { path: string };
let series: FaceSeries;
beforeAll(async () => {
  [engines, codec] = await Promise.all([createCpuEngines({ workers: 1 }), MediabunnyCodec.load()]);
  if (!engines.avatar) throw new Error('There is no engine');
  avatar = engines.avatar;
  folder = await mkdtemp(join(tmpdir(), 'animate-'));
  speech = await (await Speaker.load()).speak(SCRIPT, {}, noAbort());
  clip = await speak({ script: SCRIPT });
  await using reader = await FaceReader.load();
  series = await faceSeries(clip.path, codec, reader);
}, 120_000);
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function speak(request: Partial<AvatarRequest>): Promise<RenderedVideo & { path: string }> {
  const path = join(folder, `${count++}.mp4`);
  const whole = { imagePath: PORTRAIT, script: 'Yes.', ...request, outputPath: path };
  return { path, ...(await avatar.speak(whole, noAbort())) };
}

describe('a portrait that speaks', () => {
  test('has the size of the portrait and the length of its speech', async () => {
    expect(clip).toMatchObject({ width: 512, height: 512, mime: 'video/mp4' });
    const seconds = speech.samples.length / speech.sampleRateHz;
    expect(Math.abs(clip.durationSeconds - seconds)).toBeLessThan(1 / 30);
    const sound = await soundOf(codec, clip.path);
    expect(Math.abs(sound.length / 16_000 - seconds)).toBeLessThan(0.15);
    expect(Math.max(...sound.map(Math.abs))).toBeGreaterThan(0.1);
  });

  test('starts as the portrait', async () => {
    expect(psnr(await pictureOf(codec, clip.path), await readPixels(PORTRAIT), WHOLE)).toBeGreaterThan(35);
  });

  test('opens its mouth as the sounds of the speech require', () => {
    const wanted = series.mouth.map((_, n) => speech.mouth.at(n / 30).open);
    expect(series.mouth).toHaveLength(series.pictures);
    expect(correlation(series.mouth, wanted)).toBeGreaterThan(0.8);
    expect(Math.max(...series.mouth)).toBeLessThan(0.4);
  });

  test('parts its lips by at least 7 mm in every open vowel, and closes them in every m, b and p', () => {
    const during = (names: readonly string[]): number[][] =>
      speech.phones
        .filter(({ name }) => names.includes(name))
        .map(({ start, end }) => series.mouth.slice(Math.ceil(start * 30), Math.floor(end * 30) + 1));
    const eyeDistanceMm = 63;
    const open = during(['aa', 'ae']).map((gaps) => Math.max(...gaps) * eyeDistanceMm);
    const closed = during(['m', 'b', 'p']).map((gaps) => Math.min(...gaps) * eyeDistanceMm);
    expect(open.length).toBe(3);
    expect(closed.length).toBeGreaterThanOrEqual(6);
    expect(Math.min(...open)).toBeGreaterThan(7);
    expect(Math.max(...closed)).toBeLessThan(2);
  });

  test('blinks, and moves its head a little without ever turning far', () => {
    expect(blinks(series.lids)).toBeGreaterThanOrEqual(1);
    expect(blinks(series.lids)).toBeLessThanOrEqual(4);
    const range = Math.max(...series.yaw) - Math.min(...series.yaw);
    expect(range).toBeGreaterThan(1.5);
    expect(range).toBeLessThan(16);
  });
});

describe('a request to speak', () => {
  test('is drawn at the requested resolution of the shorter side', async () => {
    expect(await speak({ resolutionP: 480 })).toMatchObject({ width: 480, height: 480 });
  });

  test('fails with face_not_detected if nobody is in the picture', async () => {
    const request = speak({ imagePath: sample('no-face-landscape.jpg') });
    await expect(request).rejects.toMatchObject({ code: 'face_not_detected' });
  });

  test('ends when its signal aborts', async () => {
    const abort = new AbortController();
    const outputPath = join(await useFolder(), 'avatar.mp4');
    const long = avatar.speak({ imagePath: PORTRAIT, script: SCRIPT.repeat(50), outputPath }, abort.signal);
    abort.abort(new Error('stopped'));
    await expect(long).rejects.toThrow('stopped');
  });
});
