import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { cleanFace, previewOf } from '../../../src/bot/media/face-picture.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { SECRET, containsWords } from './use-media.ts';

/** The colours with which pixels are compared; the nearest one counts. */
const COLOURS = { red: [255, 0, 0], blue: [0, 0, 255], green: [0, 160, 0], white: [255, 255, 255] } as const;

/** Draws a picture that is red at the top left, blue at the top right, and green below. */
function drawn(width = 96, height = 64): Sharp {
  const part = (left: number, top: number, background: string) => ({
    input: { create: { width: width / 2, height: height / 2, channels: 3 as const, background } },
    left,
    top,
  });
  const base = sharp({ create: { width, height, channels: 3, background: '#00a000' } });
  return base.composite([part(0, 0, '#f00'), part(width / 2, 0, '#00f')]);
}

async function useFace(bytes: Uint8Array): Promise<{ folder: string; fromPath: string; toPath: string }> {
  const folder = await useFolder();
  const fromPath = join(folder, 'given');
  await writeFile(fromPath, bytes);
  return { folder, fromPath, toPath: join(folder, 'face.jpg') };
}

/** Returns a member's picture as it is saved. */
async function saved(bytes: Uint8Array): Promise<Buffer> {
  const { folder, fromPath, toPath } = await useFace(bytes);
  const size = await cleanFace(fromPath, toPath);
  expect(size).toBe((await stat(toPath)).size);
  expect((await readdir(folder)).toSorted()).toEqual(['face.jpg', 'given']);
  return readFile(toPath);
}

/** Returns the colours in the middle of each quarter: top left, top right, bottom left, bottom right. */
async function quarters(bytes: Uint8Array): Promise<string> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number): string => {
    const from = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
    const distance = ([, rgb]: readonly [string, readonly number[]]): number =>
      rgb.reduce((sum, value, channel) => sum + Math.abs(value - (data[from + channel] ?? 0)), 0);
    return Object.entries(COLOURS).toSorted((a, b) => distance(a) - distance(b))[0]?.[0] ?? '';
  };
  return [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)].join(' ');
}

describe('a saved face', () => {
  test.each([
    [1, [96, 64], 'red blue green green'],
    [2, [96, 64], 'blue red green green'],
    [3, [96, 64], 'green green blue red'],
    [4, [96, 64], 'green green red blue'],
    [5, [64, 96], 'red green blue green'],
    [6, [64, 96], 'green red green blue'],
    [7, [64, 96], 'green blue green red'],
    [8, [64, 96], 'blue green red green'],
  ])(
    'with the orientation %i is stored upright and without an orientation',
    async (orientation, size, colours) => {
      const bytes = await saved(await drawn().jpeg().withMetadata({ orientation }).toBuffer());

      const found = await sharp(bytes).metadata();
      expect([found.width, found.height]).toEqual(size);
      expect(found.orientation ?? 1).toBe(1);
      expect(await quarters(bytes)).toBe(colours);
    },
  );

  test.each([
    ['jpeg', (image: Sharp) => image.jpeg()],
    ['png', (image: Sharp) => image.png()],
    ['webp', (image: Sharp) => image.webp()],
  ])('from a %s is a JPEG in full colour and reveals nothing about its owner', async (_name, write) => {
    const exif = { IFD0: { Copyright: SECRET }, IFD3: { GPSAreaInformation: SECRET } };
    const given = await write(drawn())
      .withExif(exif)
      .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${SECRET}</x:xmpmeta>`)
      .toBuffer();
    expect(containsWords(given)).toBe(true);

    const bytes = await saved(given);

    expect(containsWords(bytes)).toBe(false);
    const { format, exif: kept, xmp, chromaSubsampling, hasAlpha } = await sharp(bytes).metadata();
    expect({ format, kept, xmp, chromaSubsampling, hasAlpha }).toEqual({
      format: 'jpeg',
      kept: undefined,
      xmp: undefined,
      chromaSubsampling: '4:4:4',
      hasAlpha: false,
    });
  });

  test('is white where the picture was transparent', async () => {
    const clear = sharp({
      create: { width: 20, height: 20, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0 } },
    });
    expect(await quarters(await saved(await clear.png().toBuffer()))).toBe('white white white white');
  });

  test('is the first frame of an animation', async () => {
    const frames = Buffer.concat(
      [
        [255, 0, 0],
        [0, 0, 255],
      ].map((rgb) => Buffer.alloc(20 * 20 * 3, Buffer.from(rgb))),
    );
    const raw = { width: 20, height: 40, channels: 3, pageHeight: 20 } as const;
    const bytes = await saved(
      await sharp(frames, { raw })
        .gif({ delay: [100, 100] })
        .toBuffer(),
    );
    expect((await sharp(bytes).metadata()).height).toBe(20);
    expect(await quarters(bytes)).toBe('red red red red');
  });

  test.each([
    [
      [2_048, 10],
      [2_048, 10],
    ],
    [
      [2_050, 410],
      [2_048, 410],
    ],
    [
      [400, 4_096],
      [200, 2_048],
    ],
    [
      [30, 20],
      [30, 20],
    ],
  ])('of %j pixels is stored with %j', async ([width = 0, height = 0], size) => {
    const given = sharp({ create: { width, height, channels: 3, background: '#888' } });
    const found = await sharp(await saved(await given.png().toBuffer())).metadata();
    expect([found.width, found.height]).toEqual(size);
  });

  test('may have fifty megapixels according to its header, and not more', async () => {
    const small = await drawn().png().toBuffer();
    for (const [height, problem] of [
      [5_000, { kind: 'undecodable' }],
      [5_001, { kind: 'too_many_pixels', megapixels: 50, megapixelsMax: 50 }],
    ] as const) {
      // The header claims more pixels than the file contains.
      const header = Buffer.from(small.subarray(12, 29));
      header.writeUInt32BE(10_000, 4);
      header.writeUInt32BE(height, 8);
      const given = Buffer.concat([small.subarray(0, 12), header, Buffer.alloc(4), small.subarray(33)]);
      given.writeUInt32BE(crc32(header), 29);
      await expect(saved(given)).rejects.toMatchObject({ problem });
    }
  });

  test.each([
    ['a text', async () => Buffer.from('only words'), { kind: 'wrong_type', expected: 'image' }],
    ['nothing', async () => Buffer.alloc(0), { kind: 'wrong_type', expected: 'image' }],
    [
      'a sound',
      () => readFile(new URL('../../samples/speech-woman-16k.wav', import.meta.url)),
      { kind: 'wrong_type', expected: 'image' },
    ],
    [
      'a truncated picture',
      async () => (await drawn(400, 400).png().toBuffer()).subarray(0, 700),
      { kind: 'undecodable' },
    ],
    [
      'only the header of a picture',
      async () => (await drawn().jpeg().toBuffer()).subarray(0, 20),
      { kind: 'undecodable' },
    ],
  ])('is never made from %s, and leaves no file', async (_name, make, problem) => {
    const { folder, fromPath, toPath } = await useFace(await make());
    await expect(cleanFace(fromPath, toPath)).rejects.toMatchObject({ problem });
    expect(await readdir(folder)).toEqual(['given']);
  });
});

test.each([
  [[300, 100], 'red blue green green'],
  [[100, 300], 'red blue green green'],
  [[20, 20], 'red blue green green'],
])(
  'the preview of a face of %j pixels is a square from its middle',
  async ([width = 0, height = 0], colours) => {
    const { fromPath } = await useFace(await drawn(width, height).jpeg().toBuffer());
    const preview = await previewOf(fromPath);
    const { format, ...size } = await sharp(preview).metadata();
    expect({ format, width: size.width, height: size.height }).toEqual({
      format: 'jpeg',
      width: 160,
      height: 160,
    });
    expect(await quarters(preview)).toBe(colours);
  },
);
