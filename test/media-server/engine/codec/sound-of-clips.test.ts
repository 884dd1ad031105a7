import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Codec, Sound } from '../../../../src/media-server/engine/codec/codec.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { sample } from '../use-engine.ts';
import { describeCodecs } from './describe-codecs.ts';
import { makeClip, quarters } from './make-clip.ts';
import { soundPackets } from './packets.ts';
import { SMALL } from './write-quarters.ts';
import { allSound } from './all-sound.ts';

const MAN = sample('talking-man-640x360.mp4');

describeCodecs((codec) => {
  test('the sound of another clip is copied byte for byte, at the same times', async () => {
    const path = join(await useFolder(), 'a.mp4');
    await using writer = await codec().writeVideo({ path, ...SMALL, sound: { from: 'clip', path: MAN } });
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
    await using writer = await codec().writeVideo({
      path,
      ...SMALL,
      sound: { from: 'samples', samples, sampleRateHz: 16_000 },
    });
    for (let n = 0; n < 38; n++) await writer.add(quarters(64, 48), n / 25, 1 / 25);
    await writer.finish();
    const sound = await allSound(codec(), path, 48_000);
    expect(sound.length / 48_000).toBeCloseTo(1.5, 0);
    expect(crossings(sound.subarray(12_000, 60_000))).toBeCloseTo(880, -1);
    expect(Math.max(...sound.subarray(12_000, 60_000))).toBeCloseTo(0.5, 1);
  });

  test('sound is read in mono at the requested rate', async () => {
    const sound = await allSound(codec(), sample('speech-man-48k.wav'), 16_000);
    const original = await allSound(codec(), sample('speech-man-48k.wav'), 48_000);
    expect(sound.length).toBeCloseTo(original.length / 3, -2);
    expect(level(sound)).toBeCloseTo(level(original), 3);
  });

  test('stereo is mixed to mono without getting louder', async () => {
    const path = join(await useFolder(), 'a.mp4');
    const sound = { seconds: 1, channels: 2 };
    await makeClip({ path, pictures: () => quarters(64, 48), timestamps: [0, 0.5], sound });
    expect(await codec().probe(path)).toMatchObject({ audio: { channels: 2 } });
    expect(level(await allSound(codec(), path, 48_000))).toBeCloseTo(0.3 / Math.SQRT2, 1);
  });

  test.each([
    [8_000, 1, 'mono'],
    [12_345, 1, 'mono'],
    [192_000, 2, 'stereo'],
    [48_000, 3, 'three channels'],
    [48_000, 6, 'surround'],
  ])(
    'uncompressed sound of %i Hz, %i channels (%s) is read with the correct timing',
    async (sampleRateHz, channels) => {
      const folder = await useFolder();
      const path = join(folder, 'a.mp4');
      await writeFile(join(folder, 'a.wav'), clickAt(0.5, { sampleRateHz, channels, seconds: 1 }));
      await writeSecond(codec(), path, { from: 'clip', path: join(folder, 'a.wav') });
      const sound = await allSound(codec(), path, 48_000);
      const loudest = sound.reduce(
        (best, value, at) => (Math.abs(value) > Math.abs(sound[best] ?? 0) ? at : best),
        0,
      );
      expect(Math.abs(loudest / 48_000 - 0.5)).toBeLessThan(0.02);
    },
  );

  test.each([
    [0.2, 'shorter'],
    [3, 'longer'],
  ])('sound of %f s, %s than the pictures, is kept completely', async (seconds) => {
    const folder = await useFolder();
    const path = join(folder, 'a.mp4');
    await writeFile(join(folder, 'a.wav'), clickAt(0.1, { sampleRateHz: 16_000, channels: 1, seconds }));
    expect(await writeSecond(codec(), path, { from: 'clip', path: join(folder, 'a.wav') })).toBeCloseTo(1, 3);
    expect((await codec().probe(path)).durationSeconds).toBeCloseTo(Math.max(1, seconds), 0);
    expect((await allSound(codec(), path, 16_000)).length / 16_000).toBeCloseTo(seconds, 0);
  });
});

async function writeSecond(codec: Codec, path: string, sound: Sound): Promise<number> {
  await using writer = await codec.writeVideo({ path, ...SMALL, sound });
  for (let n = 0; n < 5; n++) await writer.add(quarters(64, 48), n / 5, 1 / 5);
  return await writer.finish();
}

/** Creates a 16-bit WAV of silence, with 10 ms of noise at `at` seconds. */
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
