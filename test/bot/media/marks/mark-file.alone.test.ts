import { copyFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as mediabunny from 'mediabunny';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { sniffFile } from '../../../../src/base/media-type.ts';
import { type Marked, markFile } from '../../../../src/bot/media/marks/mark-file.ts';
import type { SourceType } from '../../../../src/bot/media/marks/source-type.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

const NEVER = new AbortController().signal;
const COMPOSITE = 'http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia';
const TRAINED = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
const OLD_XMP =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
  '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"' +
  ` e:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture" dc:format="kept/format"/></rdf:RDF></x:xmpmeta>`;

const SAMPLES = join(import.meta.dirname, '../../../samples');

async function use(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(await useFolder(), name);
  await writeFile(path, bytes);
  return path;
}

async function mark(
  path: string,
  type: SourceType = 'compositeWithTrainedAlgorithmicMedia',
): Promise<Marked> {
  const mime = (await sniffFile(path))?.mime ?? 'unknown';
  return await markFile(path, { mime, type }, NEVER);
}

/** Returns the XMP packet that another library finds in the file. */
async function xmpOf(path: string): Promise<string> {
  const { xmp } = await opened(path).then((picture) => picture.metadata());
  return xmp?.toString('utf8') ?? '';
}

async function pixels(path: string): Promise<Buffer> {
  return await (await opened(path)).raw().toBuffer();
}

/** Reads the file's bytes itself, because the library caches files by their path. */
async function opened(path: string): Promise<Sharp> {
  return sharp(await readFile(path), { animated: true });
}

function plain(alpha = false): Sharp {
  const background = { r: 200, g: 80, b: 120, alpha: 0.5 };
  return sharp({ create: { width: 33, height: 21, channels: alpha ? 4 : 3, background } });
}

const PICTURES: readonly (readonly [string, () => Promise<Buffer>])[] = [
  ['a JPEG', () => plain().jpeg().toBuffer()],
  [
    'a JPEG with Exif',
    () =>
      plain()
        .withExif({ IFD0: { Artist: 'A' } })
        .jpeg()
        .toBuffer(),
  ],
  ['a photo', () => readFile(join(SAMPLES, 'portrait-man-elderly.jpg'))],
  ['a PNG', () => plain(true).png().toBuffer()],
  ['a lossy WebP', () => plain().webp().toBuffer()],
  ['a lossless WebP with alpha', () => plain(true).webp({ lossless: true }).toBuffer()],
  [
    'a WebP with alpha and Exif',
    () =>
      plain(true)
        .withExif({ IFD0: { Artist: 'A' } })
        .webp()
        .toBuffer(),
  ],
];

describe('a picture', () => {
  test.each(PICTURES)(
    '%s says that a model made parts of it, and looks the same as before',
    async (_name, make) => {
      const path = await use('picture', await make());
      const before = await pixels(path);
      const { exif } = await (await opened(path)).metadata();

      expect(await mark(path)).toBe('marked');

      expect(await xmpOf(path)).toContain(`<Iptc4xmpExt:DigitalSourceType>${COMPOSITE}<`);
      expect((await pixels(path)).equals(before)).toBe(true);
      expect((await (await opened(path)).metadata()).exif).toEqual(exif);
    },
  );

  test.each(PICTURES)('%s has one mark, however often it is marked', async (_name, make) => {
    const path = await use('picture', await make());
    await mark(path);
    const once = await readFile(path);

    await mark(path);

    expect((await readFile(path)).equals(once)).toBe(true);
    await mark(path, 'trainedAlgorithmicMedia');
    expect((await xmpOf(path)).split('DigitalSourceType>')).toHaveLength(3);
    expect(await xmpOf(path)).toContain(TRAINED);
  });

  test.each([
    ['JPEG', () => plain().withXmp(OLD_XMP).jpeg().toBuffer()],
    ['PNG', () => plain().withXmp(OLD_XMP).png().toBuffer()],
    ['WebP', () => plain().withXmp(OLD_XMP).webp().toBuffer()],
  ])('%s keeps its own XMP, except for the source', async (_name, make) => {
    const path = await use('picture', await make());
    expect(await xmpOf(path)).toContain('digitalCapture');

    await mark(path);

    const xmp = await xmpOf(path);
    expect(xmp).toContain('dc:format="kept/format"');
    expect(xmp).toContain(COMPOSITE);
    expect(xmp).not.toContain('digitalCapture');
    expect(
      Buffer.from(await readFile(path))
        .toString('latin1')
        .split('<rdf:RDF'),
    ).toHaveLength(2);
  });

  test('an animated GIF contains the mark and all its frames', async () => {
    const frames = Buffer.concat([Buffer.alloc(300, 10), Buffer.alloc(300, 200)]);
    const gif = await sharp(frames, { raw: { width: 10, height: 20, channels: 3, pageHeight: 10 } })
      .gif({ delay: [100, 100] })
      .toBuffer();
    const path = await use('moving.gif', gif);
    const before = await pixels(path);

    expect(await mark(path)).toBe('marked');
    const once = await readFile(path);
    await mark(path);

    expect((await readFile(path)).equals(once)).toBe(true);
    expect(once.toString('latin1').split('XMP DataXMP')).toHaveLength(2);
    expect(once.toString('latin1')).toContain(COMPOSITE);
    expect((await (await opened(path)).metadata()).pages).toBe(2);
    expect((await pixels(path)).equals(before)).toBe(true);
  });

  test.each([
    ['image/png', pngOfParts()],
    ['image/webp', webpOfParts()],
    [
      'image/gif',
      Buffer.concat([Buffer.from('GIF89a\x01\0\x01\0\0\0\0!\xfe', 'latin1'), Buffer.alloc(60_000, '\x01a')]),
    ],
    ['video/mp4', Buffer.alloc(480_000, '\0\0\0\x08free', 'latin1')],
  ])('with endlessly many parts (%s) is given up quickly', async (mime, bytes) => {
    const path = await use('parts', bytes);
    expect(await markFile(path, { mime, type: 'trainedAlgorithmicMedia' }, NEVER)).toBe('damaged');
    expect((await readFile(path)).equals(bytes)).toBe(true);
  });

  test('that is damaged stays as it is', async () => {
    const jpeg = await plain().jpeg().toBuffer();
    const path = await use('cut.jpg', jpeg.subarray(0, 30));

    expect(await mark(path)).toBe('damaged');
    expect((await readFile(path)).equals(jpeg.subarray(0, 30))).toBe(true);
    expect(await mark(await use('sound.wav', await readFile(join(SAMPLES, 'speech-woman-16k.wav'))))).toBe(
      'unknown_format',
    );
  });
});

/**
 * Walks the top level of the file to find the last `uuid` box. Returns the types of all top-level boxes, and the XMP in
 * that box.
 */
function lastUuid(clip: Buffer): { types: string[]; xmp: string } {
  const types: string[] = [];
  let xmp = '';
  for (let at = 0; at < clip.length;) {
    const size = clip.readUInt32BE(at);
    const type = clip.toString('latin1', at + 4, at + 8);
    types.push(type);
    if (type === 'uuid') {
      expect(clip.toString('hex', at + 8, at + 24)).toBe('be7acfcb97a942e89c71999491e3afac');
      xmp = clip.toString('utf8', at + 24, at + size);
    }
    at += size;
  }
  return { types, xmp };
}

async function packetsOf(path: string): Promise<string[]> {
  using input = new mediabunny.Input({
    formats: mediabunny.ALL_FORMATS,
    source: new mediabunny.BufferSource(await readFile(path)),
  });
  const track = await input.getPrimaryVideoTrack();
  if (!track) throw new Error('The clip has no pictures');
  const packets: string[] = [];
  for await (const { data, timestamp } of new mediabunny.EncodedPacketSink(track).packets()) {
    packets.push(`${timestamp.toFixed(3)} ${Buffer.from(data).toString('base64')}`);
  }
  return packets;
}

describe('a clip', () => {
  test('says at its end how it was made, and plays as before', async () => {
    const path = join(await useFolder(), 'clip.mp4');
    await copyFile(join(SAMPLES, 'talking-woman-512.mp4'), path);
    const before = await packetsOf(path);

    expect(await mark(path)).toBe('marked');
    const once = await readFile(path);
    await mark(path);

    const { types, xmp } = lastUuid(once);
    expect(types.at(-1)).toBe('uuid');
    expect(xmp).toContain(COMPOSITE);
    expect(await packetsOf(path)).toEqual(before);
    const again = lastUuid(await readFile(path));
    expect(again.types.filter((type) => type === 'uuid')).toHaveLength(1);
    expect(again.xmp.split('DigitalSourceType>')).toHaveLength(3);
  });

  test('whose data extends to the end of the file gets a size first', async () => {
    const clip = await readFile(join(SAMPLES, 'talking-woman-512.mp4'));
    const { types } = lastUuid(clip);
    expect(types.at(-1)).toBe('mdat');
    const at = clip.lastIndexOf('mdat', undefined, 'latin1') - 4;
    clip.writeUInt32BE(0, at);
    const path = await use('open.mp4', clip);
    const before = await packetsOf(path);

    expect(await mark(path)).toBe('marked');

    expect(lastUuid(await readFile(path)).xmp).toContain(COMPOSITE);
    expect(await packetsOf(path)).toEqual(before);
  });

  test('in WebM says so in a tag at its end', async () => {
    const path = join(await useFolder(), 'clip.webm');
    await remux(join(SAMPLES, 'talking-woman-512.mp4'), path);
    const before = await packetsOf(path);

    expect(await mark(path)).toBe('marked');
    await mark(path, 'trainedAlgorithmicMedia');

    expect(tagsOf(await readFile(path))).toEqual(['DIGITAL_SOURCE_TYPE', TRAINED]);
    expect((await readFile(path)).toString('latin1').split('DIGITAL_SOURCE_TYPE')).toHaveLength(2);
    expect(await packetsOf(path)).toEqual(before);
  });

  test('of 300 MB is marked without being loaded into memory', async () => {
    const head = Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex');
    const data = Buffer.alloc(8);
    data.writeUInt32BE(300_000_008);
    data.write('mdat', 4, 'latin1');
    const path = await use('large.mp4', Buffer.concat([head, data]));
    await truncate(path, head.length + 300_000_008);
    const before = process.memoryUsage().rss;

    expect(await markFile(path, { mime: 'video/mp4', type: 'trainedAlgorithmicMedia' }, NEVER)).toBe(
      'marked',
    );

    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 2 ** 20);
    expect((await stat(path)).size).toBeGreaterThan(300_000_000);
  });
});

/**
 * Returns the name and value of the tag in the last tags element of the segment, found by walking from element to
 * element.
 */
function tagsOf(clip: Buffer): string[] {
  const element = (at: number): { id: string; body: number; end: number } => {
    const idBytes = Math.clz32(clip.readUInt8(at)) - 23;
    const sizeAt = at + idBytes;
    const sizeBytes = Math.clz32(clip.readUInt8(sizeAt)) - 23;
    const size =
      BigInt(`0x${clip.toString('hex', sizeAt, sizeAt + sizeBytes)}`) - (1n << BigInt(7 * sizeBytes));
    const body = sizeAt + sizeBytes;
    return { id: clip.toString('hex', at, sizeAt), body, end: body + Number(size) };
  };
  const children = (from: number, to: number): ReturnType<typeof element>[] => {
    const found = [];
    for (let at = from; at < to; at = found.at(-1)?.end ?? to) found.push(element(at));
    return found;
  };
  const [, segment] = children(0, clip.length);
  expect(segment?.end).toBe(clip.length);
  const [tag] = children(segment?.body ?? 0, segment?.end ?? 0)
    .filter(({ id }) => id === '1254c367')
    .slice(-1)
    .flatMap(({ body, end }) => children(body, end));
  const simple = children(tag?.body ?? 0, tag?.end ?? 0).find(({ id }) => id === '67c8');
  return children(simple?.body ?? 0, simple?.end ?? 0).map(({ body, end }) =>
    clip.toString('utf8', body, end),
  );
}

/** Copies the pictures of a clip unchanged into a Matroska file. */
async function remux(from: string, to: string): Promise<void> {
  using input = new mediabunny.Input({
    formats: mediabunny.ALL_FORMATS,
    source: new mediabunny.BufferSource(await readFile(from)),
  });
  const target = new mediabunny.BufferTarget();
  const output = new mediabunny.Output({ format: new mediabunny.MkvOutputFormat(), target });
  const conversion = await mediabunny.Conversion.init({ input, output, audio: { discard: true } });
  await conversion.execute();
  await writeFile(to, new Uint8Array(target.buffer ?? new ArrayBuffer(0)));
}

/** Creates a PNG header followed by many empty chunks. */
function pngOfParts(): Buffer {
  const header = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55', 'hex');
  return Buffer.concat([header, Buffer.alloc(360_000, '\0\0\0\0prVt\0\0\0\0', 'latin1')]);
}

/** Creates a WebP with the header of a lossy picture of 1 x 1 pixel, followed by many empty chunks. */
function webpOfParts(): Buffer {
  const start = Buffer.from('524946460000000057454250565038200a0000000000009d012a01000100', 'hex');
  const file = Buffer.concat([start, Buffer.alloc(420_000, 'XXXX\0\0\0\0', 'latin1')]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}
