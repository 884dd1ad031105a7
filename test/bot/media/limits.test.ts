import { createHash } from 'node:crypto';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { admit } from '../../../src/bot/media/admit.ts';
import { FORMATS } from '../../../src/bot/media/formats.ts';
import { checkHeader, checkPicture } from '../../../src/bot/media/check-picture.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { SAMPLES } from './foreign/format-samples.ts';
import { wav } from './lengths/wav-writer.ts';
import { taggedMedia } from './tagged-media.ts';
import { LIMITS, clean } from './use-media.ts';

const RATE_HZ = 8_000;

/** Creates a recording with this many samples. */
function sound(samples: number): Buffer {
  return wav({ tag: 1, channels: 1, rateHz: RATE_HZ, bits: 16, data: Buffer.alloc(samples * 2) });
}

test.each([
  [1, 1, true],
  [RATE_HZ - 1, 1, true],
  [RATE_HZ, 1, true],
  [RATE_HZ + 1, 1, false],
  [RATE_HZ * 1.5, 1, false],
  [RATE_HZ * 1.5, 1.5, true],
  [RATE_HZ * 1.5 + 1, 1.5, false],
  [RATE_HZ * 2 - 1, 1, false],
])(
  'a recording of %i samples of 1/8000 s, where %s s are allowed, is accepted: %s',
  async (samples, durationSecondsMax, isTaken) => {
    const durationSeconds = samples / RATE_HZ;
    const cleaned = clean(sound(samples), 'audio', { durationSecondsMax });
    if (isTaken) expect((await cleaned).durationSeconds).toBeCloseTo(durationSeconds, 6);
    else {
      await expect(cleaned).rejects.toMatchObject({
        problem: { kind: 'too_long', durationSeconds, durationSecondsMax },
      });
    }
  },
);

test('a recording without samples is rejected', async () => {
  await expect(clean(sound(0), 'audio')).rejects.toMatchObject({ problem: { kind: 'undecodable' } });
});

test('a picture has no duration, however short the allowed duration is', async () => {
  const gif = (await SAMPLES['gif']?.()) ?? Buffer.alloc(0);
  expect(await clean(gif, 'image', { durationSecondsMax: 0 })).toMatchObject({ durationSeconds: null });
});

test('a file may have exactly the allowed number of bytes, and not one more', async () => {
  const bytes = sound(100);
  for (const [sizeBytesMax, isTaken] of [
    [bytes.length + 1, true],
    [bytes.length, true],
    [bytes.length - 1, false],
  ] as const) {
    const cleaned = clean(bytes, 'audio', { sizeBytesMax });
    if (isTaken) expect(await cleaned).toMatchObject({ sizeBytes: bytes.length });
    else {
      await expect(cleaned).rejects.toMatchObject({
        problem: { kind: 'too_large', sizeBytes: bytes.length, sizeBytesMax },
      });
    }
  }
  await expect(clean(Buffer.alloc(0), 'audio')).rejects.toMatchObject({ problem: { kind: 'empty' } });
});

/** The kind, media type and extension of an admitted file, by its format. */
const NAMES: Readonly<Record<string, string>> = {
  jpg: 'image image/jpeg jpg',
  png: 'image image/png png',
  apng: 'image image/png png',
  webp: 'image image/webp webp',
  gif: 'image image/gif gif',
  mp4: 'video video/mp4 mp4',
  m4v: 'video video/mp4 mp4',
  mov: 'video video/quicktime mov',
  '3gp': 'video video/3gpp 3gp',
  webm: 'video video/webm webm',
  mkv: 'video video/x-matroska mkv',
  m4a: 'audio audio/mp4 m4a',
  m4b: 'audio audio/mp4 m4a',
  wav: 'audio audio/wav wav',
  mp3: 'audio audio/mpeg mp3',
  mp2: 'audio audio/mpeg mp2',
  aac: 'audio audio/aac aac',
  flac: 'audio audio/flac flac',
  ogg: 'audio audio/ogg ogg',
  opus: 'audio audio/ogg ogg',
};

test('the reported facts about an admitted file of any format match its bytes afterwards', async () => {
  for (const name of FORMATS.keys()) {
    const bytes = (await SAMPLES[name]?.()) ?? Buffer.alloc(0);
    const kind = FORMATS.get(name)?.kind ?? 'image';
    const { mime, extension, sizeBytes, sha256, durationSeconds, ...file } = await clean(bytes, kind);
    expect({ name, called: `${kind} ${mime} ${extension}` }).toEqual({ name, called: NAMES[name] });
    expect({ name, sizeBytes, sha256 }).toEqual({
      name,
      sizeBytes: (await stat(file.after)).size,
      sha256: createHash('sha256').update(file.bytes).digest('hex'),
    });
    expect({ name, lasts: durationSeconds !== null }).toEqual({ name, lasts: kind !== 'image' });
    expect(await readdir(join(file.after, '..'))).toHaveLength(2);
  }
  const tagged = await taggedMedia('mp3');
  expect((await clean(tagged, 'audio')).sizeBytes).toBeLessThan(tagged.length - 1_000);
});

test('each format is accepted as its own kind and as no other', async () => {
  const kinds = ['image', 'audio', 'video'] as const;
  for (const [name, { kind: own }] of FORMATS) {
    const bytes = (await SAMPLES[name]?.()) ?? Buffer.alloc(0);
    for (const kind of kinds.filter((other) => other !== own)) {
      await expect(clean(bytes, kind), `${name} as ${kind}`).rejects.toMatchObject({
        problem: { kind: 'wrong_type', expected: kind },
      });
    }
  }
});

test.each([
  ['video', 'AVI', Buffer.from('RIFF\x24\0\0\0AVI LIST\x10\0\0\0hdrl', 'latin1')],
  ['video', 'FLV', Buffer.from('FLV\x01\x05\0\0\0\x09\0\0\0\0', 'latin1')],
  ['audio', 'AIF', Buffer.from('FORM\0\0\0\x20AIFFCOMM\0\0\0\x12', 'latin1')],
] as const)(
  'a file of the kind %s that cannot be cleaned is refused by its name, %s',
  async (own, format, bytes) => {
    for (const kind of ['image', 'audio', 'video'] as const) {
      await expect(clean(bytes, kind)).rejects.toMatchObject({
        problem:
          kind === own
            ? { kind: 'unsupported_format', expected: kind, format }
            : { kind: 'wrong_type', expected: kind },
      });
    }
  },
);

test.each([
  ['m4a', 'audio/mp4', 'm4a'],
  ['webm (sound)', 'audio/webm', 'weba'],
] as const)('a container of %s without pictures is a recording', async (name, mime, extension) => {
  const bytes = Buffer.from(await taggedMedia(name));
  if (name === 'm4a') bytes.write('isom', 8, 'latin1');
  expect(await clean(bytes, 'audio')).toMatchObject({ mime, extension });
  await expect(clean(bytes, 'video')).rejects.toMatchObject({
    problem: { kind: 'wrong_type', expected: 'video' },
  });
});

test.each(['gif', 'wav', 'mp3', 'mp4'])(
  'an aborted %s stays as it is, without further files',
  async (name) => {
    const folder = await useFolder();
    const path = join(folder, 'file');
    const bytes = (await SAMPLES[name]?.()) ?? Buffer.alloc(0);
    await writeFile(path, bytes);
    const stop = AbortSignal.abort(new Error('No longer wanted'));

    await expect(admit(path, FORMATS.get(name)?.kind ?? 'image', LIMITS, stop)).rejects.toThrow(
      'No longer wanted',
    );

    expect(await readdir(folder)).toEqual(['file']);
    expect(await readFile(path)).toEqual(Buffer.from(bytes));
  },
);

/** How much of the usual pixel limit a picture may use, by its number of channels and the bit depth of each channel. */
const DEPTHS: readonly (readonly [channels: 1 | 2 | 3 | 4, depth: 'uchar' | 'ushort', share: number])[] = [
  [1, 'uchar', 1],
  [2, 'uchar', 1],
  [3, 'uchar', 1],
  [4, 'uchar', 1],
  [1, 'ushort', 1],
  [2, 'ushort', 1],
  [3, 'ushort', 4 / 6],
  [4, 'ushort', 1 / 2],
];
const WIDTH = 1_000;

/** Creates a PNG with this many lines of 1,000 black pixels each, with these channels and this depth. */
async function usePixels(
  height: number,
  channels: 1 | 2 | 3 | 4,
  depth: 'uchar' | 'ushort',
): Promise<string> {
  const path = join(await useFolder(), 'picture.png');
  const data =
    depth === 'uchar'
      ? new Uint8Array(WIDTH * height * channels)
      : new Uint16Array(WIDTH * height * channels);
  const image = sharp(data, { raw: { width: WIDTH, height, channels } });
  const space = `${depth === 'ushort' ? (channels < 3 ? 'grey' : 'rgb') : channels < 3 ? 'b-w' : 'srgb'}${depth === 'ushort' ? '16' : ''}`;
  await writeFile(path, await image.toColourspace(space).png({ compressionLevel: 1 }).toBuffer());
  expect(await sharp(path).metadata()).toMatchObject({ channels, depth });
  return path;
}

describe.each(DEPTHS)('a picture of %i channels of %s', (channels, depth, share) => {
  test('has at most its share of the allowed pixels', async () => {
    const megapixelsMax = 0.06;
    const most = Math.floor((megapixelsMax * share * 1_000_000) / WIDTH);
    for (const [height, isTaken] of [
      [most, true],
      [most + 1, false],
      [most * 4, false],
    ] as const) {
      const path = await usePixels(height, channels, depth);
      const problems = [await checkPicture(path, megapixelsMax), await checkHeader(path, megapixelsMax)];
      const problem = isTaken ? undefined : expect.objectContaining({ kind: 'too_many_pixels' });
      expect({ height, problems }).toEqual({ height, problems: [problem, problem] });
    }
  });
});

test('the error for a picture with too many pixels has both numbers in whole megapixels', async () => {
  const path = await usePixels(1_600, 4, 'ushort');
  expect(await checkPicture(path, 3)).toEqual({ kind: 'too_many_pixels', megapixels: 2, megapixelsMax: 1 });
});

test('a picture must decode to its last line, and its header alone must be readable', async () => {
  const folder = await useFolder();
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const whole = await sharp({ create: { width: 90, height: 90, channels: 3, background: '#000', noise } })
    .png()
    .toBuffer();
  for (const [length, isWhole, isHead] of [
    [whole.length, true, true],
    [whole.length - 500, false, true],
    [10, false, false],
  ] as const) {
    const path = join(folder, `${length}.png`);
    await writeFile(path, whole.subarray(0, length));
    const undecodable = { kind: 'undecodable' };
    expect(await checkPicture(path, 50)).toEqual(isWhole ? undefined : undecodable);
    expect(await checkHeader(path, 50)).toEqual(isHead ? undefined : undecodable);
  }
  await expect(checkHeader(join(folder, 'gone'), 50)).rejects.toMatchObject({ code: 'ENOENT' });
});
