import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Codec, Sound, VideoFrame } from '../../../src/media-server/engine/codec/codec.ts';
import { FfmpegCodec } from '../../../src/media-server/engine/codec/ffmpeg-codec.ts';
import { MediabunnyCodec } from '../../../src/media-server/engine/codec/mediabunny-codec.ts';
import { useFolder } from '../../use-folder.ts';
import { sample } from '../use-engine.ts';
import { cutStart } from './cut-start.ts';
import { makeClip, quarterColours, quarters } from './make-clip.ts';
import { pictureTimes, soundPackets } from './packets.ts';

const systemFfmpeg = await FfmpegCodec.load('ffmpeg').catch(() => undefined);
const MAN = sample('talking-man-640x360.mp4');

describe('clips through mediabunny and node-av', () => {
  clipContract(() => MediabunnyCodec.load());
});

// Skipped where no system FFmpeg is installed.
describe.skipIf(!systemFfmpeg)('clips through a system FFmpeg', () => {
  clipContract(() => Promise.resolve(systemFfmpeg));
});

/** What every codec must do. */
function clipContract(load: () => Promise<Codec | undefined>): void {
  let codec: Codec;
  beforeAll(async () => {
    const loaded = await load();
    if (loaded) codec = loaded;
  });

  async function frameInfos(
    path: string,
    shorterSide?: number,
  ): Promise<Omit<VideoFrame, 'planes' | 'pixels'>[]> {
    const infos = [];
    for await (const frame of codec.readVideo(path, shorterSide ? { shorterSide } : {})) {
      infos.push({ timestamp: frame.timestamp, duration: frame.duration });
    }
    return infos;
  }

  async function firstColours(path: string): Promise<{ width: number; height: number; colours: number[][] }> {
    for await (const { pixels } of codec.readVideo(path)) {
      return { width: pixels.width, height: pixels.height, colours: quarterColours(pixels) };
    }
    throw new Error('There is no picture');
  }

  async function writeQuarters(path: string, timestamps: readonly number[]): Promise<number> {
    await using writer = await codec.writeVideo({
      path,
      width: 64,
      height: 48,
      frameRate: 25,
      sound: { from: 'nowhere' },
    });
    for (const [n, at] of timestamps.entries()) {
      await writer.add(quarters(64, 48, n % 40), at, (timestamps[n + 1] ?? at + 0.04) - at);
    }
    return await writer.finish();
  }

  async function writeSecond(path: string, sound: Sound): Promise<number> {
    await using writer = await codec.writeVideo({ path, width: 64, height: 48, frameRate: 25, sound });
    for (let n = 0; n < 5; n++) await writer.add(quarters(64, 48), n / 5, 1 / 5);
    return await writer.finish();
  }

  test('a header tells size, rate, duration and sound', async () => {
    expect(await codec.probe(MAN)).toEqual({
      durationSeconds: expect.closeTo(6.03, 1),
      video: { width: 640, height: 360, frameRate: expect.closeTo(25, 1) },
      audio: { sampleRateHz: 48_000, channels: 1 },
    });
  });

  test('pictures come in order, each with its own time', async () => {
    const frames = await frameInfos(MAN, 90);
    expect(frames).toHaveLength(150);
    for (const [n, { timestamp, duration }] of frames.entries()) {
      expect(timestamp).toBeCloseTo(n / 25, 4);
      expect(duration).toBeCloseTo(0.04, 4);
    }
  });

  test('a shorter side scales, to even sides', async () => {
    for await (const { pixels, planes } of codec.readVideo(MAN, { shorterSide: 101 })) {
      expect([pixels.width, pixels.height]).toEqual([180, 102]);
      expect(planes.data).toHaveLength(180 * 102 * 1.5);
      break;
    }
  });

  test('colours and irregular times survive writing and reading', async () => {
    const path = join(await useFolder(), 'a.mp4');
    const times = [0, 0.04, 0.05, 0.3, 0.3333, 1.2];
    expect(await writeQuarters(path, times)).toBeCloseTo(1.24, 4);
    const read: number[] = [];
    for await (const { pixels, timestamp } of codec.readVideo(path)) {
      const colours = quarterColours(pixels);
      const wanted = quarterColours(quarters(64, 48, read.length));
      for (const [n, colour] of colours.flat().entries()) {
        expect(Math.abs(colour - (wanted.flat()[n] ?? 0))).toBeLessThanOrEqual(3);
      }
      read.push(timestamp);
    }
    expect(read).toHaveLength(times.length);
    for (const [n, at] of read.entries()) expect(at).toBeCloseTo(times[n] ?? 0, 3);
  });

  test('the pictures of a clip keep their exact values until they are looked at', async () => {
    const path = join(await useFolder(), 'a.mp4');
    await writeQuarters(path, [0, 0.04]);
    for await (const { planes } of codec.readVideo(path)) {
      const before = Uint8Array.from(planes.data);
      const copy = join(await useFolder(), 'b.mp4');
      await using writer = await codec.writeVideo({
        path: copy,
        width: 64,
        height: 48,
        frameRate: 25,
        sound: { from: 'nowhere' },
      });
      await writer.add(planes, 0, 0.04);
      await writer.finish();
      for await (const again of codec.readVideo(copy)) {
        expect(again.planes.colours).toEqual(planes.colours);
        const errors = again.planes.data.map((value, n) => Math.abs(value - (before[n] ?? 0)));
        expect(Math.max(...errors)).toBeLessThanOrEqual(6);
        break;
      }
      break;
    }
  });

  test('the index stands before the data, so that a clip plays while it loads', async () => {
    const path = join(await useFolder(), 'a.mp4');
    await writeQuarters(path, [0, 0.04, 0.08]);
    const bytes = await readFile(path);
    const index = bytes.indexOf('moov');
    expect(index).toBeGreaterThan(0);
    expect(index).toBeLessThan(bytes.indexOf('mdat'));
  });

  test('the sound of another clip is copied byte for byte, at the same times', async () => {
    const path = join(await useFolder(), 'a.mp4');
    await using writer = await codec.writeVideo({
      path,
      width: 64,
      height: 48,
      frameRate: 25,
      sound: { from: 'clip', path: MAN },
    });
    for (let n = 0; n < 150; n++) await writer.add(quarters(64, 48, n % 40), n / 25, 1 / 25);
    expect(await writer.finish()).toBeCloseTo(6, 3);
    const [copied, original] = await Promise.all([soundPackets(path), soundPackets(MAN)]);
    expect(copied.map(({ digest }) => digest)).toEqual(original.map(({ digest }) => digest));
    for (const [n, { at }] of copied.entries()) expect(at).toBeCloseTo(original[n]?.at ?? -1, 4);
  });

  test('samples become sound of the same length and pitch', async () => {
    const path = join(await useFolder(), 'a.mp4');
    const samples = Float32Array.from(
      { length: 24_000 },
      (_u, n) => 0.5 * Math.sin((2 * Math.PI * 440 * n) / 16_000),
    );
    await using writer = await codec.writeVideo({
      path,
      width: 64,
      height: 48,
      frameRate: 25,
      sound: { from: 'samples', samples, sampleRateHz: 16_000 },
    });
    for (let n = 0; n < 38; n++) await writer.add(quarters(64, 48), n / 25, 1 / 25);
    await writer.finish();
    const sound = await allSound(codec, path, 48_000);
    expect(sound.length / 48_000).toBeCloseTo(1.5, 0);
    expect(crossings(sound.subarray(12_000, 60_000))).toBeCloseTo(880, -1);
    expect(Math.max(...sound.subarray(12_000, 60_000))).toBeCloseTo(0.5, 1);
  });

  test('sound is read as mono at the rate that is asked for', async () => {
    const sound = await allSound(codec, sample('speech-man-48k.wav'), 16_000);
    const original = await allSound(codec, sample('speech-man-48k.wav'), 48_000);
    expect(sound.length).toBeCloseTo(original.length / 3, -2);
    expect(level(sound)).toBeCloseTo(level(original), 3);
  });

  test('stereo becomes mono without getting louder', async () => {
    const path = join(await useFolder(), 'a.mp4');
    const sound = { seconds: 1, channels: 2 };
    await makeClip({ path, pictures: () => quarters(64, 48), timestamps: [0, 0.5], sound });
    expect(await codec.probe(path)).toMatchObject({ audio: { channels: 2 } });
    expect(level(await allSound(codec, path, 48_000))).toBeCloseTo(0.3 / Math.SQRT2, 1);
  });

  test.each([
    [90, [2, 0, 3, 1]],
    [180, [3, 2, 1, 0]],
    [270, [1, 3, 0, 2]],
  ] as const)('a clip turned by %i degrees is read upright', async (rotation, order) => {
    const path = join(await useFolder(), 'a.mp4');
    await makeClip({ path, pictures: () => quarters(96, 64), timestamps: [0, 0.04], rotation });
    const turned = rotation === 180 ? [96, 64] : [64, 96];
    expect(await codec.probe(path)).toMatchObject({ video: { width: turned[0], height: turned[1] } });
    const { width, height, colours } = await firstColours(path);
    expect([width, height]).toEqual(turned);
    const plain = quarterColours(quarters(96, 64));
    for (const [n, from] of order.entries()) {
      for (const [c, value] of (colours[n] ?? []).entries()) {
        expect(Math.abs(value - (plain[from]?.[c] ?? 0))).toBeLessThan(14);
      }
    }
  });

  test('odd sizes become even ones', async () => {
    const path = join(await useFolder(), 'a.webm');
    await makeClip({ path, pictures: () => quarters(91, 53), timestamps: [0, 0.04], format: 'vp9' });
    expect(await codec.probe(path)).toMatchObject({ video: { width: 91, height: 53 } });
    const { width, height, colours } = await firstColours(path);
    expect([width, height]).toEqual([92, 54]);
    expect(colours[0]?.[0]).toBeGreaterThan(170);
  });

  test('what an edit list cuts off the beginning is not shown', async () => {
    const path = join(await useFolder(), 'a.mp4');
    const timestamps = Array.from({ length: 10 }, (_unused, n) => n / 25);
    await makeClip({ path, pictures: () => quarters(64, 48), timestamps });
    await cutStart(path, 0.2);
    expect(await frameInfos(path)).toEqual(
      timestamps
        .slice(0, 5)
        .map((at) => ({ timestamp: expect.closeTo(at, 3), duration: expect.closeTo(0.04, 3) })),
    );
  });

  test.each([
    [8_000, 1, 'mono'],
    [12_345, 1, 'mono'],
    [192_000, 2, 'stereo'],
    [48_000, 3, 'three channels'],
    [48_000, 6, 'surround'],
  ])('uncompressed sound of %i Hz, %i channels (%s) is heard in time', async (sampleRateHz, channels) => {
    const folder = await useFolder();
    const path = join(folder, 'a.mp4');
    await writeFile(join(folder, 'a.wav'), clickAt(0.5, { sampleRateHz, channels, seconds: 1 }));
    await writeSecond(path, { from: 'clip', path: join(folder, 'a.wav') });
    const sound = await allSound(codec, path, 48_000);
    const loudest = sound.reduce(
      (best, value, at) => (Math.abs(value) > Math.abs(sound[best] ?? 0) ? at : best),
      0,
    );
    expect(Math.abs(loudest / 48_000 - 0.5)).toBeLessThan(0.02);
  });

  test.each([
    [0.2, 'shorter'],
    [3, 'longer'],
  ])('sound of %f s, %s than the pictures, is kept whole', async (seconds) => {
    const folder = await useFolder();
    const path = join(folder, 'a.mp4');
    await writeFile(join(folder, 'a.wav'), clickAt(0.1, { sampleRateHz: 16_000, channels: 1, seconds }));
    expect(await writeSecond(path, { from: 'clip', path: join(folder, 'a.wav') })).toBeCloseTo(1, 3);
    expect((await codec.probe(path)).durationSeconds).toBeCloseTo(Math.max(1, seconds), 0);
    expect((await allSound(codec, path, 16_000)).length / 16_000).toBeCloseTo(seconds, 0);
  });

  test('a clip so narrow that it cannot be enlarged is refused', async () => {
    const path = join(await useFolder(), 'a.mp4');
    await makeClip({ path, pictures: () => quarters(2_000, 16), timestamps: [0] });
    await expect(frameInfos(path, 1080)).rejects.toMatchObject({ code: 'input_too_large' });
  });

  test('a clip that breaks off ends early', async () => {
    const frames = await frameInfos(sample('bad-video-cut-off.mp4'), 64);
    expect(frames.length).toBeGreaterThan(10);
    expect(frames.length).toBeLessThan(140);
  });

  test.each(['bad-video-no-index.mp4', 'bad-text-named.png'])('%s is no clip', async (name) => {
    await expect(codec.probe(sample(name))).rejects.toMatchObject({ code: 'unsupported_format' });
    await expect(frameInfos(sample(name))).rejects.toMatchObject({ code: 'unsupported_format' });
    await expect(allSound(codec, sample(name), 16_000)).rejects.toMatchObject({ code: 'unsupported_format' });
  });

  test('a playlist does not lead to other files', async () => {
    const path = join(await useFolder(), 'a.mp4');
    await writeFile(path, `#EXTM3U\n#EXTINF:6,\nfile://${MAN}\n#EXT-X-ENDLIST\n`);
    await expect(frameInfos(path)).rejects.toMatchObject({ code: 'unsupported_format' });
    await writeFile(path, `ffconcat version 1.0\nfile ${MAN}\n`);
    await expect(frameInfos(path)).rejects.toMatchObject({ code: 'unsupported_format' });
  });

  test('a writer that is not finished leaves no clip behind', async () => {
    const path = join(await useFolder(), 'a.mp4');
    {
      await using writer = await codec.writeVideo({
        path,
        width: 64,
        height: 48,
        frameRate: 25,
        sound: { from: 'clip', path: MAN },
      });
      await writer.add(quarters(64, 48), 0, 0.04);
    }
    const size = await stat(path).then(
      ({ size: bytes }) => bytes,
      () => 0,
    );
    expect(size).toBe(0);
  });

  test('the times of a real clip are kept to the tick', async () => {
    const path = join(await useFolder(), 'a.mp4');
    await using writer = await codec.writeVideo({
      path,
      width: 160,
      height: 90,
      frameRate: 25,
      sound: { from: 'nowhere' },
    });
    for await (const { planes, timestamp, duration } of codec.readVideo(MAN, { shorterSide: 90 })) {
      await writer.add(planes, timestamp, duration);
    }
    await writer.finish();
    expect(await pictureTimes(path)).toEqual(await pictureTimes(MAN));
  });
}

async function allSound(codec: Codec, path: string, rate: number): Promise<Float32Array> {
  const pieces: number[] = [];
  for await (const piece of codec.readAudio(path, rate)) pieces.push(...piece);
  return Float32Array.from(pieces);
}

/** A WAV of 16 bits with 10 ms of noise in silence. */
function clickAt(
  at: number,
  { sampleRateHz, channels, seconds }: { sampleRateHz: number; channels: number; seconds: number },
): Buffer {
  const frames = Math.round(seconds * sampleRateHz);
  const wav = Buffer.alloc(44 + frames * channels * 2);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(channels, 22);
  wav.writeUInt32LE(sampleRateHz, 24);
  wav.writeUInt32LE(sampleRateHz * channels * 2, 28);
  wav.writeUInt16LE(channels * 2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(wav.length - 44, 40);
  const start = Math.round(at * sampleRateHz);
  for (let n = 0; n < 0.01 * sampleRateHz; n++) {
    for (let channel = 0; channel < channels; channel++)
      wav.writeInt16LE(((n * 7919) % 40_000) - 20_000, 44 + ((start + n) * channels + channel) * 2);
  }
  return wav;
}

function level(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
}

function crossings(samples: Float32Array): number {
  let count = 0;
  for (let n = 1; n < samples.length; n++) {
    if ((samples[n - 1] ?? 0) < 0 !== (samples[n] ?? 0) < 0) count++;
  }
  return count;
}
