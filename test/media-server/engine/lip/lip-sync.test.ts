import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readWav, writeWav } from '../../../../src/audio/wav.ts';
import type { MouthTrack } from '../../../../src/media-server/engine/animate/mouth-shape.ts';
import { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';
import { type CpuEngines, createCpuEngines } from '../../../../src/media-server/engine/cpu/cpu-engines.ts';
import { FaceReader } from '../../../../src/media-server/engine/face/face-reader.ts';
import { mouthFromRecording } from '../../../../src/media-server/engine/lip/mouth-from-recording.ts';
import { findRestFace } from '../../../../src/media-server/engine/lip/rest-face.ts';
import type { RenderError } from '../../../../src/media-server/engine/render-error.ts';
import type { RenderedVideo } from '../../../../src/media-server/engine/rendered.ts';
import { stillClip } from '../animate/use-clips.ts';
import { correlation } from '../correlation.ts';
import { noAbort, readPixels, sample } from '../use-engine.ts';
import { type MeasuredFrame, measureClip, psnr } from './clip-measures.ts';

const CLIP = sample('talking-woman-512.mp4');
const RECORDING = sample('speech-man-48k.wav');
const SECONDS = 3.6;

let engines: CpuEngines;
let codec: MediabunnyCodec;
let reader: FaceReader;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'masquerade-'));
  [engines, codec, reader] = await Promise.all([
    createCpuEngines({ workers: 1 }),
    MediabunnyCodec.load(),
    FaceReader.load(),
  ]);
});
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
  await reader[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function sync(videoPath: string, audioPath: string, name: string): Promise<RenderedVideo> {
  if (!engines.lipSync) throw new Error('Cannot test: no codec is installed');
  return await engines.lipSync.syncLips({ videoPath, audioPath, outputPath: join(folder, name) }, noAbort());
}

/** Writes the first frames of a square clip, scaled to `shorterSide` pixels a side, without sound. */
async function cutClip(path: string, frames: number, shorterSide: number): Promise<string> {
  const cut = join(folder, `cut-${frames}.mp4`);
  await using writer = await codec.writeVideo({
    path: cut,
    width: shorterSide,
    height: shorterSide,
    frameRate: 25,
    sound: { from: 'nowhere' },
  });
  let count = 0;
  for await (const { planes, timestamp, duration } of codec.readVideo(path, { shorterSide })) {
    if (count++ === frames) break;
    await writer.add(planes, timestamp, duration);
  }
  await writer.finish();
  return cut;
}

/** Writes the first seconds of a sample recording. */
async function cutRecording(seconds: number): Promise<string> {
  const { sampleRateHz, pcm } = readWav(await readFile(RECORDING));
  const cut = join(folder, `cut-${seconds}.wav`);
  await writeFile(cut, writeWav({ sampleRateHz, pcm: pcm.subarray(0, seconds * sampleRateHz) }));
  return cut;
}

describe('a talking clip with another recording', () => {
  let rendered: RenderedVideo;
  let before: MeasuredFrame[];
  let after: MeasuredFrame[];
  let mouth: MouthTrack;
  let recording: string;

  beforeAll(async () => {
    recording = await cutRecording(SECONDS);
    rendered = await sync(CLIP, recording, 'talking.mp4');
    before = await measureClip(codec, reader, CLIP, SECONDS);
    after = await measureClip(codec, reader, join(folder, 'talking.mp4'), SECONDS);
    mouth = await mouthFromRecording(codec, recording, noAbort(), () => undefined);
  }, 120_000);

  test('is as long as the recording, with the recording as its sound', async () => {
    const recorded = await codec.probe(recording);
    const result = await codec.probe(join(folder, 'talking.mp4'));
    expect(rendered).toMatchObject({ width: 512, height: 512, mime: 'video/mp4' });
    expect(Math.abs(rendered.durationSeconds - recorded.durationSeconds)).toBeLessThan(0.04);
    expect(Math.abs((after.at(-1)?.timestamp ?? 0) + 0.04 - recorded.durationSeconds)).toBeLessThan(0.041);
    expect(result.audio).toBeDefined();
    const [heard, said] = [await soundOf(join(folder, 'talking.mp4')), await soundOf(recording)];
    expect(Math.abs(lagSeconds(said, heard))).toBeLessThan(0.004);
  });

  test('moves the lips with the recording and no longer with the clip', () => {
    const measured = after.filter(({ gap }, n) => gap !== undefined && before[n]?.gap !== undefined);
    const gaps = measured.map(({ gap }) => gap ?? 0);
    const wanted = measured.map(({ timestamp }) => mouth.at(timestamp + 0.02).open);
    const own = measured.map((frame) => before[after.indexOf(frame)]?.gap ?? 0);
    expect(measured.length).toBeGreaterThan(40);
    expect(correlation(gaps, wanted)).toBeGreaterThan(0.6);
    // The clip's own movement has little influence once the recording's influence is removed (partial correlation).
    const [gw, go, ow] = [correlation(gaps, wanted), correlation(gaps, own), correlation(own, wanted)];
    expect((go - gw * ow) / Math.sqrt((1 - gw * gw) * (1 - ow * ow))).toBeLessThan(0.35);
  });

  test('closes the lips when the recording does', () => {
    const closed = after.filter(
      ({ timestamp, gap }) => gap !== undefined && mouth.at(timestamp + 0.02).press > 0.95,
    );
    expect(closed.length).toBeGreaterThanOrEqual(4);
    for (const { gap } of closed) expect(gap).toBeLessThan(0.06);
  });

  test('leaves eyes and background unchanged', () => {
    for (const [n, { top }] of after.slice(0, before.length).entries())
      expect(psnr(top, before[n]?.top ?? new Uint8Array())).toBeGreaterThan(34);
  });
});

describe('a clip that is shorter than the recording', () => {
  test('continues backwards and forwards again, without a jump', async () => {
    const clip = await cutClip(CLIP, 20, 256);
    const recording = await cutRecording(2.5);
    const { durationSeconds } = await sync(clip, recording, 'mirrored.mp4');
    const frames = await measureClip(codec, reader, join(folder, 'mirrored.mp4'), 0);
    expect(Math.abs(durationSeconds - 2.5)).toBeLessThan(0.04);
    const at = (n: number): Uint8Array => frames[n]?.top ?? new Uint8Array();
    for (const [there, back] of [
      [18, 20],
      [10, 28],
      [1, 37],
      [1, 39],
      [10, 48],
    ] as const)
      expect(psnr(at(there), at(back))).toBeGreaterThan(33);
    expect(psnr(at(0), at(19))).toBeLessThan(30);
  });
});

test('the steps before the first picture report progress', async () => {
  let told = 0;
  const progress = (): void => void told++;
  await mouthFromRecording(codec, RECORDING, noAbort(), progress);
  expect(told).toBeGreaterThan(5);
  told = 0;
  const { width, data } = await readPixels(sample('no-face-landscape.jpg'));
  const path = await stillClip(codec, { width, height: 682, data: data.subarray(0, width * 682 * 4) });
  const signal = noAbort();
  expect(await findRestFace(codec, reader, path, { shorterSide: 240, signal, progress })).toBeUndefined();
  expect(told).toBe(10);
});

describe('impossible inputs are refused:', () => {
  const refusal = (code: RenderError['code']): Partial<RenderError> => ({ name: 'RenderError', code });

  test('a clip without a face', async () => {
    const { width, height, data } = await readPixels(sample('no-face-landscape.jpg'));
    const path = join(folder, 'landscape.mp4');
    await using writer = await codec.writeVideo({
      path,
      width: 512,
      height: 512,
      frameRate: 5,
      sound: { from: 'nowhere' },
    });
    const pixels = { width: 512, height: 512, data: new Uint8Array(512 * 512 * 4) };
    for (let y = 0; y < 512; y++)
      pixels.data.set(data.subarray(y * width * 4, y * width * 4 + 512 * 4), y * 512 * 4);
    for (let n = 0; n < 3; n++) await writer.add(pixels, n / 5, 1 / 5);
    await writer.finish();
    expect(height).toBeGreaterThan(512);
    await expect(sync(path, RECORDING, 'no-face.mp4')).rejects.toMatchObject(refusal('face_not_detected'));
  });

  test('a recording without a sound track', async () => {
    const silent = await cutClip(CLIP, 3, 256);
    await expect(sync(CLIP, silent, 'x.mp4')).rejects.toMatchObject(refusal('unsupported_format'));
  });

  test('a recording without audio content', async () => {
    const text = sample('bad-text-named.png');
    await expect(sync(CLIP, text, 'x.mp4')).rejects.toMatchObject(refusal('unsupported_format'));
  });

  test('ten hours of silence, according to their header', async () => {
    const path = join(folder, 'silence.wav');
    const header = writeWav({ sampleRateHz: 8_000, pcm: new Int16Array(0) });
    const sizeBytes = 10 * 3_600 * 8_000 * 2;
    new DataView(header.buffer).setUint32(4, sizeBytes + 36, true);
    new DataView(header.buffer).setUint32(40, sizeBytes, true);
    await using file = await open(path, 'w');
    await file.write(header);
    await file.truncate(header.length + sizeBytes);
    await expect(sync(CLIP, path, 'x.mp4')).rejects.toMatchObject(refusal('input_too_large'));
  });
});

const RATE_HZ = 8_000;

async function soundOf(path: string): Promise<Float32Array> {
  const samples: number[] = [];
  for await (const piece of codec.readAudio(path, RATE_HZ)) for (const value of piece) samples.push(value);
  return Float32Array.from(samples);
}

/** Returns how much later `heard` is than `said`, in seconds, from -0.1 to 0.1. */
function lagSeconds(said: Float32Array, heard: Float32Array): number {
  let [best, lag] = [0, Number.NaN];
  for (let shift = -RATE_HZ / 10; shift <= RATE_HZ / 10; shift += 4) {
    let sum = 0;
    for (let n = RATE_HZ; n < 2 * RATE_HZ; n++) sum += (said[n] ?? 0) * (heard[n + shift] ?? 0);
    if (sum > best) [best, lag] = [sum, shift];
  }
  return lag / RATE_HZ;
}
