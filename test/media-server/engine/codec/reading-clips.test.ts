import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Codec, VideoFrame } from '../../../../src/media-server/engine/codec/codec.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { sample } from '../use-engine.ts';
import { cutStart } from './cut-start.ts';
import { describeCodecs } from './describe-codecs.ts';
import { makeClip, quarterColours, quarters } from './make-clip.ts';
import { allSound } from './all-sound.ts';

const MAN = sample('talking-man-640x360.mp4');

describeCodecs((codec) => {
  test('a header contains size, rate, duration and sound', async () => {
    expect(await codec().probe(MAN)).toEqual({
      durationSeconds: expect.closeTo(6.03, 1),
      video: { width: 640, height: 360, frameRate: expect.closeTo(25, 1) },
      audio: { sampleRateHz: 48_000, channels: 1 },
    });
  });

  test('a FLAC that ends within its first frame does not block the reader', async () => {
    const path = join(await useFolder(), 'short.flac');
    const head = '664c614380000022100010000000000000000ac440f000001000000000000000';
    await writeFile(path, Buffer.from(`${head}00000000000000000000fff8c908009500000021bd`, 'hex'));
    const read = codec().probe(path);
    // Some codecs read the part of the frame that is present; others fail.
    await expect(read.catch(({ code }: { code: unknown }) => code)).resolves.toBeDefined();
  });

  test('pictures are read in order, each with its own time', async () => {
    const frames = await frameInfos(codec(), MAN, 90);
    expect(frames).toHaveLength(150);
    for (const [n, { timestamp, duration }] of frames.entries()) {
      expect(timestamp).toBeCloseTo(n / 25, 4);
      expect(duration).toBeCloseTo(0.04, 4);
    }
  });

  test('a shorter side scales the picture, to even sides', async () => {
    for await (const { pixels, planes } of codec().readVideo(MAN, { shorterSide: 101 })) {
      expect([pixels.width, pixels.height]).toEqual([180, 102]);
      expect(planes.data).toHaveLength(180 * 102 * 1.5);
      break;
    }
  });

  test.each([
    [90, [2, 0, 3, 1]],
    [180, [3, 2, 1, 0]],
    [270, [1, 3, 0, 2]],
  ] as const)('a clip rotated by %i degrees is read upright', async (rotation, order) => {
    const path = join(await useFolder(), 'a.mp4');
    await makeClip({ path, pictures: () => quarters(96, 64), timestamps: [0, 0.04], rotation });
    const turned = rotation === 180 ? [96, 64] : [64, 96];
    expect(await codec().probe(path)).toMatchObject({ video: { width: turned[0], height: turned[1] } });
    const { width, height, colours } = await firstColours(codec(), path);
    expect([width, height]).toEqual(turned);
    const plain = quarterColours(quarters(96, 64));
    for (const [n, from] of order.entries()) {
      for (const [c, value] of (colours[n] ?? []).entries()) {
        expect(Math.abs(value - (plain[from]?.[c] ?? 0))).toBeLessThan(14);
      }
    }
  });

  test('odd sizes are made even', async () => {
    const path = join(await useFolder(), 'a.webm');
    await makeClip({ path, pictures: () => quarters(91, 53), timestamps: [0, 0.04], format: 'vp9' });
    expect(await codec().probe(path)).toMatchObject({ video: { width: 91, height: 53 } });
    const { width, height, colours } = await firstColours(codec(), path);
    expect([width, height]).toEqual([92, 54]);
    expect(colours[0]?.[0]).toBeGreaterThan(170);
  });

  test('the part that an edit list cuts off at the start is not shown', async () => {
    const path = join(await useFolder(), 'a.mp4');
    const timestamps = Array.from({ length: 10 }, (_unused, n) => n / 25);
    await makeClip({ path, pictures: () => quarters(64, 48), timestamps });
    await cutStart(path, 0.2);
    expect(await frameInfos(codec(), path)).toEqual(
      timestamps
        .slice(0, 5)
        .map((at) => ({ timestamp: expect.closeTo(at, 3), duration: expect.closeTo(0.04, 3) })),
    );
  });

  test('a clip too narrow to be enlarged is refused', async () => {
    const path = join(await useFolder(), 'a.mp4');
    await makeClip({ path, pictures: () => quarters(2_000, 16), timestamps: [0] });
    await expect(frameInfos(codec(), path, 1080)).rejects.toMatchObject({ code: 'input_too_large' });
  });

  test('a truncated clip ends early', async () => {
    const frames = await frameInfos(codec(), sample('bad-video-cut-off.mp4'), 64);
    expect(frames.length).toBeGreaterThan(10);
    expect(frames.length).toBeLessThan(140);
  });

  test.each(['bad-video-no-index.mp4', 'bad-text-named.png'])('%s is rejected as a clip', async (name) => {
    await expect(codec().probe(sample(name))).rejects.toMatchObject({ code: 'unsupported_format' });
    await expect(frameInfos(codec(), sample(name))).rejects.toMatchObject({ code: 'unsupported_format' });
    await expect(allSound(codec(), sample(name), 16_000)).rejects.toMatchObject({
      code: 'unsupported_format',
    });
  });

  test('a playlist cannot refer to other files', async () => {
    const path = join(await useFolder(), 'a.mp4');
    await writeFile(path, `#EXTM3U\n#EXTINF:6,\nfile://${MAN}\n#EXT-X-ENDLIST\n`);
    await expect(frameInfos(codec(), path)).rejects.toMatchObject({ code: 'unsupported_format' });
    await writeFile(path, `ffconcat version 1.0\nfile ${MAN}\n`);
    await expect(frameInfos(codec(), path)).rejects.toMatchObject({ code: 'unsupported_format' });
  });
});

async function frameInfos(
  codec: Codec,
  path: string,
  shorterSide?: number,
): Promise<Omit<VideoFrame, 'planes' | 'pixels'>[]> {
  const infos = [];
  for await (const frame of codec.readVideo(path, shorterSide ? { shorterSide } : {})) {
    infos.push({ timestamp: frame.timestamp, duration: frame.duration });
  }
  return infos;
}

async function firstColours(
  codec: Codec,
  path: string,
): Promise<{ width: number; height: number; colours: number[][] }> {
  for await (const { pixels } of codec.readVideo(path)) {
    return { width: pixels.width, height: pixels.height, colours: quarterColours(pixels) };
  }
  throw new Error('There is no picture');
}
