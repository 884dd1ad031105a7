import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { SECRET, clean, containsWords } from './use-media.ts';

const WIDTH = 40;
const HEIGHT = 24;

/** Draws a picture whose four corners differ, so that no two rotations look alike. */
function drawn(): Sharp {
  const data = Buffer.alloc(WIDTH * HEIGHT * 3);
  for (let at = 0; at < WIDTH * HEIGHT; at++) {
    const isLeft = at % WIDTH < WIDTH / 2;
    const isTop = at < (WIDTH * HEIGHT) / 2;
    data.set([isLeft ? 250 : 5, isTop ? 250 : 5, isLeft && isTop ? 250 : 5], at * 3);
  }
  return sharp(data, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });
}

async function pixelsOf(bytes: Uint8Array): Promise<Buffer> {
  return sharp(bytes, { animated: true }).autoOrient().raw().toBuffer();
}

/** Creates a TIFF structure in either byte order, in which the orientation is the second of two entries. */
function exif(orientation: number, order: 'II' | 'MM', words = SECRET): Buffer {
  const tiff = Buffer.alloc(38);
  const isLittle = order === 'II';
  const short = (value: number, at: number): unknown =>
    isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
  const long = (value: number, at: number): unknown =>
    isLittle ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at);
  tiff.write(order, 0, 'latin1');
  short(42, 2);
  long(8, 4);
  short(2, 8);
  // First the entry for the camera maker, whose name is stored after the entries; then the entry for the orientation.
  short(0x010f, 10);
  short(2, 12);
  long(words.length + 1, 14);
  long(38, 18);
  short(0x0112, 22);
  short(3, 24);
  long(1, 26);
  short(orientation, 30);
  return Buffer.concat([tiff, Buffer.from(`${words}\0`, 'latin1')]);
}

function segment(marker: number, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1')));
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

const ICC = `ICC_PROFILE\0`;

/** Every kind of segment that may precede the picture, and whether it stays. */
const SEGMENTS: readonly (readonly [what: string, bytes: Buffer, isKept: boolean])[] = [
  ['a comment', segment(0xfe, SECRET), false],
  ['an empty comment', segment(0xfe), false],
  ['a JFXX thumbnail', segment(0xe0, 'JFXX\0', SECRET), false],
  ['an Exif with only the orientation', segment(0xe1, 'Exif\0\0', exif(1, 'MM')), false],
  ['XMP', segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', SECRET), false],
  ['a colour profile', segment(0xe2, ICC, Buffer.from([1, 1]), 'profile'), true],
  ['the list of further pictures of a phone', segment(0xe2, 'MPF\0', SECRET), false],
  ['a profile with another name', segment(0xe2, 'ICC_PROFILF\0', SECRET), false],
  ['FlashPix', segment(0xe2, 'FPXR\0', SECRET), false],
  ['a colour profile in the wrong segment', segment(0xe3, ICC, SECRET), false],
  ...Array.from({ length: 10 }, (_none, at) => {
    const marker = 0xe3 + at;
    return [`segment ${marker.toString(16)}`, segment(marker, SECRET), false] as const;
  }),
  ['IPTC', segment(0xed, 'Photoshop 3.0\0', SECRET), false],
  ['data like that of Adobe in the wrong segment', segment(0xed, 'Adobe', SECRET), false],
  ["text in place of Adobe's colours", segment(0xee, SECRET), false],
  ['segment ef', segment(0xef, SECRET), false],
];

describe('the header of a JPEG', () => {
  test('keeps the segments that its picture needs, wherever they are, and loses all others', async () => {
    const plain = (await clean(await drawn().jpeg().toBuffer(), 'image')).bytes;
    // One offset is before all segments, and the other is after the picture's first tables.
    const places = [2, plain.indexOf(Buffer.from([0xff, 0xc0]))];
    const kept = SEGMENTS.filter(([, , isKept]) => isKept).map(([, bytes]) => bytes);
    const others = SEGMENTS.filter(([, , isKept]) => !isKept).map(([, bytes]) => bytes);
    for (const at of places) {
      const put = (...segments: readonly Buffer[]): Buffer =>
        Buffer.concat([plain.subarray(0, at), ...segments, plain.subarray(at)]);
      const { bytes } = await clean(put(...others, ...kept, ...others), 'image');
      const stays = SEGMENTS.filter(([, segment]) => bytes.includes(segment)).map(([what]) => what);
      expect(stays).toEqual(SEGMENTS.flatMap(([what, , isKept]) => (isKept ? [what] : [])));
      expect(bytes.equals(put(...kept))).toBe(true);
    }
  });

  test("keeps Adobe's segment for the colours of a picture", async () => {
    const bytes = await drawn().toColourspace('cmyk').jpeg().toBuffer();
    expect(bytes.includes('Adobe')).toBe(true);
    const { bytes: after } = await clean(bytes, 'image');
    expect(after.includes('Adobe')).toBe(true);
    expect(await pixelsOf(after)).toEqual(await pixelsOf(bytes));
  });

  test('keeps its JFIF segment as the first one, without its thumbnail', async () => {
    const plain = (await clean(await drawn().jpeg().toBuffer(), 'image')).bytes;
    const fields = Buffer.from([1, 2, 1, 0, 72, 0, 73]);
    const small = segment(0xe0, 'JFIF\0', fields, Buffer.from([0, 0]));
    const jfif = segment(0xe0, 'JFIF\0', fields, Buffer.from([8, 1]), SECRET);
    const turned = segment(0xe1, 'Exif\0\0', exif(6, 'MM'));
    const start = plain.subarray(0, 2);
    const before = Buffer.concat([start, segment(0xfe, SECRET), turned, jfif, plain.subarray(2)]);

    const { bytes } = await clean(before, 'image');

    expect(bytes.subarray(0, 20)).toEqual(Buffer.concat([start, small]));
    expect(bytes.subarray(20, 30)).toEqual(segment(0xe1, 'Exif\0\0', Buffer.alloc(26)).subarray(0, 10));
    expect(bytes.subarray(-(plain.length - 2))).toEqual(plain.subarray(2));
    expect(bytes).toHaveLength(plain.length + small.length + 36);
    expect((await sharp(bytes).metadata()).orientation).toBe(6);
    const short = Buffer.concat([start, segment(0xe0, 'JFIF\0'), plain.subarray(2)]);
    await expect(clean(short, 'image')).rejects.toMatchObject({ problem: { kind: 'undecodable' } });
  });

  test('may have fill bytes before each marker', async () => {
    const plain = (await clean(await drawn().jpeg().toBuffer(), 'image')).bytes;
    const fill = Buffer.from([0xff, 0xff]);
    const before = Buffer.concat([
      plain.subarray(0, 2),
      fill,
      segment(0xfe, SECRET),
      fill,
      plain.subarray(2),
    ]);
    const { bytes } = await clean(before, 'image');
    expect(containsWords(bytes)).toBe(false);
    expect(await pixelsOf(bytes)).toEqual(await pixelsOf(plain));
  });

  test.each([
    ['ends within its header', (bytes: Buffer) => bytes.subarray(0, 40)],
    ['ends within its picture', (bytes: Buffer) => bytes.subarray(0, -2)],
    ['has no picture', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 20), Buffer.from([0xff, 0xd9])])],
    [
      'has no marker where one must be',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 20), Buffer.alloc(90, 1)]),
    ],
  ])('that %s is refused', async (_what, change) => {
    const plain = await drawn().jpeg().toBuffer();
    await expect(clean(change(plain), 'image')).rejects.toMatchObject({ problem: { kind: 'undecodable' } });
  });
});

test('a comment between the scans of a progressive JPEG is removed', async () => {
  const plain = (await clean(await drawn().jpeg({ progressive: true }).toBuffer(), 'image')).bytes;
  const second = plain.indexOf(Buffer.from([0xff, 0xda]), plain.indexOf(Buffer.from([0xff, 0xda])) + 2);
  const at = plain.lastIndexOf(Buffer.from([0xff, 0xc4]), second);
  const before = Buffer.concat([plain.subarray(0, at), segment(0xfe, SECRET), plain.subarray(at)]);
  expect((await clean(before, 'image')).bytes).toEqual(plain);
});

test('the end of a JPEG is found wherever it is, and its restart markers are not mistaken for it', async () => {
  const plain = await drawn().jpeg().toBuffer();
  const scan = plain.indexOf(Buffer.from([0xff, 0xda]));
  const from = scan + 2 + plain.readUInt16BE(scan + 2);
  const end = plain.subarray(-2);
  const found = async (padding: Buffer): Promise<boolean> => {
    const before = Buffer.concat([plain.subarray(0, -2), padding, end]);
    const { bytes } = await clean(Buffer.concat([before, Buffer.from(SECRET)]), 'image');
    return bytes.equals(before);
  };
  for (const at of [65_533, 65_534, 65_535, 65_536, 65_537, 131_069, 131_070, 131_071, 131_072]) {
    expect([at, await found(Buffer.alloc(at - (plain.length - 2 - from), 1))]).toEqual([at, true]);
  }
  for (let restart = 0xd0; restart <= 0xd7; restart++) {
    expect([restart, await found(Buffer.from([0xff, restart, 1, 0xff, 0, 1]))]).toEqual([restart, true]);
  }
});

type Hide = (bytes: Buffer, tiff: Buffer) => Buffer;

function pngChunk(type: string, body: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(body.length);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

function webpChunk(type: string, body: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

function riff(...chunks: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

/** Creates the first chunk of an extended WebP with these flags. */
function extended(flags: number): Buffer {
  const body = Buffer.alloc(10);
  body[0] = flags;
  body.writeUIntLE(WIDTH - 1, 4, 3);
  body.writeUIntLE(HEIGHT - 1, 7, 3);
  return webpChunk('VP8X', body);
}

/** Where each format stores its Exif. */
const HIDING: Readonly<Record<string, readonly [write: (image: Sharp) => Sharp, hide: Hide]>> = {
  jpeg: [
    (image) => image.jpeg(),
    (bytes, tiff) =>
      Buffer.concat([bytes.subarray(0, 2), segment(0xe1, 'Exif\0\0', tiff), bytes.subarray(2)]),
  ],
  png: [
    (image) => image.png(),
    (bytes, tiff) => Buffer.concat([bytes.subarray(0, 33), pngChunk('eXIf', tiff), bytes.subarray(33)]),
  ],
  webp: [
    (image) => image.webp(),
    (bytes, tiff) => riff(extended(0x08), bytes.subarray(12), webpChunk('EXIF', tiff)),
  ],
  'webp with the JPEG marker': [
    (image) => image.webp(),
    (bytes, tiff) =>
      riff(
        extended(0x08),
        bytes.subarray(12),
        webpChunk('EXIF', Buffer.concat([Buffer.from('Exif\0\0'), tiff])),
      ),
  ],
};

describe.each(Object.entries(HIDING))('the orientation of a %s', (_format, [write, hide]) => {
  test.each(['II', 'MM'] as const)(
    'in the byte order %s stays, and nothing else of its Exif',
    async (order) => {
      const plain = await write(drawn()).toBuffer();
      const upright = await sharp(plain).raw().toBuffer();
      for (const orientation of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0601]) {
        const before = hide(plain, exif(orientation, order));
        expect(containsWords(before)).toBe(true);

        const { bytes } = await clean(before, 'image');

        const isTurn = orientation >= 2 && orientation <= 8;
        expect(containsWords(bytes)).toBe(false);
        expect([orientation, (await sharp(bytes).metadata()).orientation ?? 1]).toEqual([
          orientation,
          isTurn ? orientation : 1,
        ]);
        expect(await sharp(bytes).raw().toBuffer()).toEqual(upright);
        expect(bytes.includes('Exif') || bytes.includes('EXIF') || bytes.includes('eXIf')).toBe(isTurn);
        expect(before.length - bytes.length).toBeGreaterThanOrEqual(SECRET.length);
      }
    },
  );

  test.each([
    ['is truncated', (tiff: Buffer) => tiff.subarray(0, 25)],
    ['is truncated within its value', (tiff: Buffer) => tiff.subarray(0, 31)],
    ['ends where its entries start', (tiff: Buffer) => tiff.subarray(0, 8)],
    ['is truncated within the number of its entries', (tiff: Buffer) => tiff.subarray(0, 9)],
    ['is shorter than its header', (tiff: Buffer) => tiff.subarray(0, 7)],
    ['is in no known byte order', (tiff: Buffer) => Buffer.concat([Buffer.from('XX'), tiff.subarray(2)])],
    [
      'points beyond its end',
      (tiff: Buffer) => Buffer.concat([tiff.subarray(0, 4), Buffer.alloc(4, 0x7f), tiff.subarray(8)]),
    ],
  ])('is ignored if the Exif %s', async (_what, change) => {
    const plain = await write(drawn()).toBuffer();
    const { bytes } = await clean(hide(plain, change(exif(6, 'MM'))), 'image');
    expect(await pixelsOf(bytes)).toEqual(await pixelsOf(plain));
    expect(containsWords(bytes)).toBe(false);
  });

  test('is read up to the last byte of its value', async () => {
    const plain = await write(drawn()).toBuffer();
    const { bytes } = await clean(hide(plain, exif(6, 'MM').subarray(0, 32)), 'image');
    expect((await sharp(bytes).metadata()).orientation).toBe(6);
  });
});

const FLAGS = { icc: 0x20, alpha: 0x10, exif: 0x08, xmp: 0x04, animation: 0x02 } as const;

test('the flags of a WebP describe exactly the chunks that are still in it', async () => {
  const picture = (await drawn().webp().toBuffer()).subarray(12);
  const profile = webpChunk(
    'ICCP',
    Buffer.from((await sharp(await drawn().withIccProfile('p3').webp().toBuffer()).metadata()).icc ?? ''),
  );
  for (let flags = 0; flags < 64; flags += 4) {
    const has = (flag: number): boolean => (flags & flag) !== 0;
    for (const orientation of [1, 6]) {
      const before = riff(
        extended(flags),
        ...(has(FLAGS.icc) ? [profile] : []),
        picture,
        ...(has(FLAGS.exif) ? [webpChunk('EXIF', exif(orientation, 'II'))] : []),
        ...(has(FLAGS.xmp) ? [webpChunk('XMP ', Buffer.from(SECRET))] : []),
        webpChunk('ABCD', Buffer.from(SECRET)),
      );

      const { bytes } = await clean(before, 'image');

      const isTurned = has(FLAGS.exif) && orientation === 6;
      const kept = flags & (FLAGS.icc | FLAGS.alpha);
      expect({ flags, after: bytes[20] }).toEqual({ flags, after: kept | (isTurned ? FLAGS.exif : 0) });
      expect(containsWords(bytes)).toBe(false);
      expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
      expect(bytes.includes('ICCP')).toBe(has(FLAGS.icc));
      expect([bytes.includes('EXIF'), bytes.includes('XMP '), bytes.includes('ABCD')]).toEqual([
        isTurned,
        false,
        false,
      ]);
    }
  }
});

test('an animated WebP keeps its frames, times and repeats, and nothing that is appended to a frame', async () => {
  const frames = Buffer.concat([10, 90, 200].map((value) => Buffer.alloc(WIDTH * HEIGHT * 3, value)));
  const raw = { width: WIDTH, height: HEIGHT * 3, channels: 3, pageHeight: HEIGHT } as const;
  const plain = await sharp(frames, { raw })
    .webp({ loop: 4, delay: [100, 200, 300] })
    .toBuffer();
  const chunks: Buffer[] = [];
  for (let at = 12; at < plain.length;) {
    const length = plain.readUInt32LE(at + 4);
    const body = plain.subarray(at + 8, at + 8 + length);
    const type = plain.toString('latin1', at, at + 4);
    const odd = webpChunk('odd ', Buffer.from(`${SECRET}!`.slice(0, SECRET.length | 1)));
    chunks.push(
      type === 'ANMF'
        ? webpChunk(type, Buffer.concat([body, odd, webpChunk('more', Buffer.from(SECRET))]))
        : webpChunk(type, body),
      odd,
    );
    at += 8 + length + (length % 2);
  }
  const before = riff(...chunks);
  expect(containsWords(before)).toBe(true);

  const { bytes } = await clean(before, 'image');

  expect(bytes).toEqual(plain);
  expect(await sharp(bytes, { animated: true }).metadata()).toMatchObject({
    pages: 3,
    loop: 4,
    delay: [100, 200, 300],
  });
  expect(await pixelsOf(bytes)).toEqual(await pixelsOf(plain));
});

/** Draws a PNG that has only its header, picture data and end. */
async function barePng(): Promise<Buffer> {
  const bytes = await drawn().png().toBuffer();
  const size = bytes.indexOf('pHYs') - 4;
  return Buffer.concat([bytes.subarray(0, size), bytes.subarray(size + 21)]);
}

test('a PNG keeps the chunks of its picture and loses all others', async () => {
  const plain = await barePng();
  const kept = 'gAMA cHRM sRGB sBIT bKGD pHYs cICP mDCV cLLI'.split(' ');
  const gone = 'tEXt zTXt iTXt tIME eXIf dSIG sPLT vpAg prVW caNv'.split(' ');
  const body = (type: string): Buffer =>
    type === 'gAMA' ? Buffer.from([0, 0, 0xb1, 0x8f]) : Buffer.alloc(4, 1);
  for (const type of [...kept, ...gone]) {
    const chunk = pngChunk(type, gone.includes(type) ? Buffer.from(SECRET) : body(type));
    const before = Buffer.concat([plain.subarray(0, 33), chunk, plain.subarray(33)]);
    const { bytes } = await clean(before, 'image');
    expect([type, bytes.equals(kept.includes(type) ? before : plain)]).toEqual([type, true]);
  }
});

test('a PNG keeps the first of the chunks that it may have only once', async () => {
  const plain = await barePng();
  const first = pngChunk('pHYs', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 0]));
  const second = pngChunk('pHYs', Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 0]));
  const put = (...parts: readonly Buffer[]): Buffer =>
    Buffer.concat([plain.subarray(0, 33), ...parts, plain.subarray(33)]);
  const { bytes } = await clean(put(first, second, pngChunk('tEXt', Buffer.from(SECRET)), first), 'image');
  expect(bytes).toEqual(put(first));
});

test('a GIF keeps its repeats and its colours, and loses comments, texts and hidden data', async () => {
  const frames = Buffer.concat([Buffer.alloc(64 * 64 * 3, 40), Buffer.alloc(64 * 64 * 3, 200)]);
  const raw = { width: 64, height: 128, channels: 3, pageHeight: 64 } as const;
  const plain = await sharp(frames, { raw })
    .gif({ loop: 3, delay: [100, 200] })
    .toBuffer();
  const at = plain.indexOf(Buffer.from([0x21, 0xf9]));
  const block = (label: number, ...parts: readonly string[]): Buffer =>
    Buffer.concat([
      Buffer.from([0x21, label]),
      ...parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part, 'latin1')])),
      Buffer.alloc(1),
    ]);
  const blocks: readonly (readonly [Buffer, boolean])[] = [
    [block(0xff, 'ANIMEXTS1.0', '\x01\x03\x00'), true],
    [block(0xff, 'ICCRGBG1012', 'profile'), true],
    [block(0xff, 'NETSCAPE2.0', '\x01\x03\x00'), true],
    [block(0xff, 'XMP DataXMP', SECRET), false],
    [block(0xff, 'NETSCAPE2.1', SECRET), false],
    [block(0xff, 'MGKIPTC0000', SECRET, SECRET), false],
    [block(0xfe, SECRET, SECRET), false],
    [block(0x01, 'x'.repeat(12), SECRET), false],
    [block(0x77, SECRET), false],
  ];
  for (const [bytes, isKept] of blocks) {
    const before = Buffer.concat([plain.subarray(0, at), bytes, plain.subarray(at), Buffer.from(SECRET)]);
    const after = (await clean(before, 'image')).bytes;
    expect([bytes.toString('latin1', 2, 20), after.includes(bytes)]).toEqual([
      bytes.toString('latin1', 2, 20),
      isKept,
    ]);
    expect(after.length).toBe(plain.length + (isKept ? bytes.length : 0));
    expect(containsWords(after)).toBe(false);
  }
  expect(await sharp(plain, { animated: true }).metadata()).toMatchObject({ pages: 2, loop: 3 });
});

test('a GIF whose frame has its own colour table keeps it', async () => {
  const gif = await sharp(await readFile(new URL('../../samples/portrait-man-elderly.jpg', import.meta.url)))
    .resize(60)
    .gif({ colours: 16 })
    .toBuffer();
  // The file's colour table becomes the colour table of its only frame.
  const flags = gif.readUInt8(10);
  const colours = 3 * 2 ** ((flags & 7) + 1);
  const table = gif.subarray(13, 13 + colours);
  const image = gif.indexOf(Buffer.from([0x2c, 0, 0, 0, 0]), 13 + colours);
  const head = Buffer.from(gif.subarray(0, 13));
  head[10] = flags & 0x70;
  const frame = Buffer.from(gif.subarray(image, image + 10));
  frame[9] = 0x80 | (flags & 7);
  const own = Buffer.concat([
    head,
    gif.subarray(13 + colours, image),
    frame,
    table,
    gif.subarray(image + 10),
  ]);
  expect(await pixelsOf(own)).toEqual(await pixelsOf(gif));

  const { bytes } = await clean(own, 'image');

  expect(await pixelsOf(bytes)).toEqual(await pixelsOf(gif));
});
