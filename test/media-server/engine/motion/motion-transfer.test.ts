import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';
import { type CpuEngines, createCpuEngines } from '../../../../src/media-server/engine/cpu/cpu-engines.ts';
import { FaceReader } from '../../../../src/media-server/engine/face/face-reader.ts';
import type { MotionTransferEngine } from '../../../../src/media-server/engine/motion-transfer-engine.ts';
import type { RenderedVideo } from '../../../../src/media-server/engine/rendered.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { makeClip, quarters } from '../codec/make-clip.ts';
import { type FaceSeries, blinks, correlation, faceSeries, lidClosings } from '../animate/face-series.ts';
import { pictureOf, psnr, soundOf, stillClip } from '../animate/use-clips.ts';
import { noAbort, readPixels, sample } from '../use-engine.ts';

const PORTRAIT = sample('portrait-man-short-hair.png');
const DRIVER = sample('talking-woman-512.mp4');
const LANDSCAPE = sample('no-face-landscape.jpg');

let engines: CpuEngines;
let motionTransfer: MotionTransferEngine;
let codec: MediabunnyCodec;
let folder: string;
let rendered: RenderedVideo;
let result: string;
let driver: FaceSeries;
let character: FaceSeries;
beforeAll(async () => {
  [engines, codec] = await Promise.all([createCpuEngines({ workers: 1 }), MediabunnyCodec.load()]);
  if (!engines.motionTransfer) throw new Error('There is no engine');
  motionTransfer = engines.motionTransfer;
  folder = await mkdtemp(join(tmpdir(), 'animate-'));
  result = join(folder, 'moved.mp4');
  const request = { imagePath: PORTRAIT, motionPath: DRIVER, outputPath: result };
  rendered = await motionTransfer.transferMotion(request, noAbort());
  await using reader = await FaceReader.load();
  driver = await faceSeries(DRIVER, codec, reader);
  character = await faceSeries(result, codec, reader);
}, 120_000);
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

describe('a portrait that moves like a driver', () => {
  test('has the size of the portrait, and the length, frames and sound of the driver', async () => {
    expect(rendered).toMatchObject({ width: 512, height: 512, mime: 'video/mp4' });
    expect(Math.abs(rendered.durationSeconds - 5.8)).toBeLessThan(0.04);
    const { video, durationSeconds } = await codec.probe(result);
    expect(video).toMatchObject({ width: 512, height: 512, frameRate: 25 });
    expect(Math.abs(durationSeconds - (await codec.probe(DRIVER)).durationSeconds)).toBeLessThan(0.04);
    expect([character.pictures, character.yaw.length]).toEqual([driver.pictures, driver.pictures]);
    expect(await soundOf(codec, result)).toEqual(await soundOf(codec, DRIVER));
  });

  test('turns its head, moves its mouth and blinks with the driver', () => {
    expect(correlation(driver.yaw, character.yaw)).toBeGreaterThan(0.95);
    expect(correlation(driver.mouth, character.mouth)).toBeGreaterThan(0.85);
    expect(correlation(lidClosings(driver.lids), lidClosings(character.lids))).toBeGreaterThan(0.85);
    expect(blinks(character.lids)).toBe(blinks(driver.lids));
    expect(blinks(driver.lids)).toBe(3);
  });

  test('keeps its background still', async () => {
    const portrait = await readPixels(PORTRAIT);
    for (const n of [0, 40, 90, 140]) {
      const picture = await pictureOf(codec, result, n);
      expect(psnr(picture, portrait, { left: 0, top: 0, right: 1, bottom: 0.08 })).toBeGreaterThan(35);
      expect(psnr(picture, portrait, { left: 0, top: 0, right: 0.1, bottom: 0.7 })).toBeGreaterThan(35);
    }
  });
});

describe('without a face', () => {
  test.for([
    ['in the picture', LANDSCAPE, DRIVER],
    ['in the clip', PORTRAIT, undefined],
  ] as const)('%s a render fails with face_not_detected', async ([, imagePath, motion]) => {
    const motionPath = motion ?? (await stillClip(codec, await evenLandscape()));
    const outputPath = join(await useFolder(), 'none.mp4');
    await expect(
      motionTransfer.transferMotion({ imagePath, motionPath, outputPath }, noAbort()),
    ).rejects.toMatchObject({ code: 'face_not_detected' });
  });
});

test('a driver of ten hours is refused by its header', async () => {
  const motionPath = join(await useFolder(), 'long.mp4');
  await makeClip({ path: motionPath, pictures: () => quarters(64, 48), timestamps: [0, 36_000] });
  await expect(
    motionTransfer.transferMotion(
      { imagePath: PORTRAIT, motionPath, outputPath: join(await useFolder(), 'none.mp4') },
      noAbort(),
    ),
  ).rejects.toMatchObject({ code: 'input_too_large' });
});

async function evenLandscape(): Promise<{ width: number; height: number; data: Uint8Array }> {
  const { width, data } = await readPixels(LANDSCAPE);
  return { width, height: 682, data: data.subarray(0, width * 682 * 4) };
}
