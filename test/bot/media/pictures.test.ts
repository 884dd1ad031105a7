import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { SECRET, clean, containsWords } from './use-media.ts';

const XMP = `<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/">${SECRET}</x:xmpmeta>`;

/** Draws a picture. Before it is rotated, its left half is red above and blue below, and its right half is green. */
function drawn(): Sharp {
  const part = (left: number, top: number, width: number, height: number, color: string): OverlayOptions => ({
    input: { create: { width, height, channels: 3, background: color } },
    left,
    top,
  });
  return sharp({ create: { width: 96, height: 64, channels: 3, background: 'green' } }).composite([
    part(0, 0, 48, 32, 'red'),
    part(0, 32, 48, 32, 'blue'),
  ]);
}

const WRITERS: Record<string, (image: Sharp) => Sharp> = {
  jpeg: (image) => image.jpeg({ quality: 90 }),
  'progressive jpeg': (image) => image.jpeg({ progressive: true }),
  png: (image) => image.png(),
  'lossy webp': (image) => image.webp(),
  'lossless webp': (image) => image.webp({ lossless: true }),
};

async function tagged(write: (image: Sharp) => Sharp, orientation: number): Promise<Buffer> {
  return write(drawn())
    .withIccProfile('p3')
    .withMetadata({ orientation })
    .withExifMerge({
      IFD0: { Copyright: SECRET, Make: SECRET },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 51/1 30/1', GPSAreaInformation: SECRET },
    })
    .withXmp(XMP)
    .toBuffer();
}

async function pixelsOf(bytes: Uint8Array): Promise<{ data: Buffer; width: number; height: number }> {
  const { data, info } = await sharp(bytes).autoOrient().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

describe.each(Object.entries(WRITERS))('a %s', (_name, write) => {
  test.each([1, 3, 6, 8])(
    'rotated by orientation %i looks as before and reveals nothing else',
    async (orientation) => {
      const before = await tagged(write, orientation);
      expect(containsWords(before)).toBe(true);
      expect((await sharp(before).metadata()).orientation).toBe(orientation);

      const { bytes } = await clean(before, 'image');

      expect(containsWords(bytes)).toBe(false);
      expect(bytes.includes('GPS')).toBe(false);
      const { orientation: kept = 1, exif, xmp, icc } = await sharp(bytes).metadata();
      expect(kept).toBe(orientation);
      expect(exif?.length ?? 0).toBeLessThan(40);
      expect(xmp).toBeUndefined();
      expect(icc).toEqual((await sharp(before).metadata()).icc);
      expect(await pixelsOf(bytes)).toEqual(await pixelsOf(before));
    },
  );

  test('does not change when it is cleaned again', async () => {
    const once = await clean(await tagged(write, 6), 'image');
    expect((await clean(once.bytes, 'image')).sha256).toBe(once.sha256);
  });

  test('loses data that is appended to it', async () => {
    const plain = await write(drawn()).toBuffer();
    const { bytes } = await clean(Buffer.concat([plain, Buffer.from(`ftypmp42${SECRET}`)]), 'image');
    expect(containsWords(bytes)).toBe(false);
    expect(await pixelsOf(bytes)).toEqual(await pixelsOf(plain));
  });
});

test('all texts of a PNG are removed', async () => {
  const png = await drawn().png().toBuffer();
  const text = Buffer.concat([Buffer.alloc(4), Buffer.from(`tEXtComment\0${SECRET}`), Buffer.alloc(4)]);
  text.writeUInt32BE(text.length - 12);
  const { bytes } = await clean(Buffer.concat([png.subarray(0, 33), text, png.subarray(33)]), 'image');
  expect(bytes).toEqual(png);
});

test('a GIF loses its comment and keeps its frames and repeats', async () => {
  const frames = Buffer.concat([Buffer.alloc(64 * 64 * 3, 40), Buffer.alloc(64 * 64 * 3, 200)]);
  const raw = { width: 64, height: 128, channels: 3, pageHeight: 64 } as const;
  const gif = await sharp(frames, { raw })
    .gif({ loop: 3, delay: [100, 200] })
    .toBuffer();
  const comment = Buffer.from([0x21, 0xfe, SECRET.length, ...Buffer.from(SECRET), 0]);
  const at = gif.indexOf(Buffer.from([0x21, 0xf9]));
  const withComment = Buffer.concat([gif.subarray(0, at), comment, gif.subarray(at)]);
  expect((await sharp(withComment, { animated: true }).metadata()).pages).toBe(2);

  const { bytes, mime } = await clean(withComment, 'image');

  expect(bytes).toEqual(gif);
  expect(mime).toBe('image/gif');
});

test.each([
  ['a PDF', Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n')],
  ['a ZIP', Buffer.from('504b0304140000000800', 'hex')],
  ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
  ['a text', Buffer.from('nothing to look at')],
])('%s is not accepted as a picture, whatever its name is', async (_name, bytes) => {
  await expect(clean(bytes, 'image')).rejects.toMatchObject({
    problem: { kind: 'wrong_type', expected: 'image' },
  });
});

test('a picture of a format that cannot be cleaned is refused by the name of the format', async () => {
  await expect(clean(await drawn().tiff().toBuffer(), 'image')).rejects.toMatchObject({
    problem: { kind: 'unsupported_format', expected: 'image', format: 'TIF' },
  });
  const heic = Buffer.concat([Buffer.from('0000001866747970', 'hex'), Buffer.from('heic\0\0\0\0mif1heic')]);
  await expect(clean(heic, 'image')).rejects.toMatchObject({
    problem: { kind: 'unsupported_format', expected: 'image', format: 'HEIC' },
  });
});

test('a picture is too large by its bytes or by its pixels', async () => {
  const bytes = await drawn().png().toBuffer();
  await expect(clean(bytes, 'image', { sizeBytesMax: bytes.length - 1 })).rejects.toMatchObject({
    problem: { kind: 'too_large', sizeBytes: bytes.length, sizeBytesMax: bytes.length - 1 },
  });
  await expect(clean(bytes, 'image', { megapixelsMax: 0.001 })).rejects.toMatchObject({
    problem: { kind: 'too_many_pixels' },
  });
});
