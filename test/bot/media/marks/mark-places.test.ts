import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { type Marked, markFile } from '../../../../src/bot/media/marks/mark-file.ts';
import { SOURCE_TYPES, type SourceType, sourceTypeUri } from '../../../../src/bot/media/marks/source-type.ts';
import { XMP_BYTES_MAX, xmpPacket } from '../../../../src/bot/media/marks/xmp-packet.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { element } from '../lengths/matroska-writer.ts';

const NEVER = new AbortController().signal;
const TYPE: SourceType = 'compositeWithTrainedAlgorithmicMedia';
const URI = sourceTypeUri(TYPE);
/** Words in an XMP packet by which the test recognises the packet afterwards. */
const KEPT = 'dc:format="kept/format"';

function packet(words = KEPT): Buffer {
  return Buffer.from(
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
      `<rdf:Description rdf:about="uuid:1" xmlns:dc="http://purl.org/dc/elements/1.1/" ${words}/></rdf:RDF></x:xmpmeta>`,
  );
}

interface Outcome {
  readonly marked: Marked;
  readonly bytes: Buffer;
  readonly text: string;
}

/** Marks a file with this content, and expects that no other file is left in its folder. */
async function mark(mime: string, bytes: Uint8Array, type: SourceType = TYPE): Promise<Outcome> {
  const path = join(await useFolder(), 'file');
  await writeFile(path, bytes);
  const marked = await markFile(path, { mime, type }, NEVER);
  expect(await readdir(dirname(path))).toEqual(['file']);
  const after = await readFile(path);
  if (marked === 'marked') expect((await stat(path)).mode & 0o777).toBe(0o600);
  else expect(after.equals(Buffer.from(bytes))).toBe(true);
  return { marked, bytes: after, text: after.toString('latin1') };
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

const STATEMENT = `<Iptc4xmpExt:DigitalSourceType>${URI}</Iptc4xmpExt:DigitalSourceType>`;

describe('a packet of XMP', () => {
  const capture = 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture';

  test.each([
    ['an attribute', packet(`${KEPT} e:DigitalSourceType="${capture}"`)],
    ['an attribute in single quotes', packet(`${KEPT} e:DigitalSourceType='${capture}'`)],
    ['an attribute with space around it', packet(`${KEPT} e-x.y:DigitalSourceType = "${capture}"`)],
    [
      'an element',
      packet(`${KEPT}><e:DigitalSourceType>${capture}</e:DigitalSourceType></rdf:Description><x`),
    ],
    [
      'an element with attributes',
      packet(`${KEPT}><e:DigitalSourceType a="b">${capture}</e:DigitalSourceType ></rdf:Description><x`),
    ],
    [
      'an empty element',
      packet(`${KEPT}><e:DigitalSourceType rdf:resource="${capture}"/></rdf:Description><x`),
    ],
    [
      'two statements',
      packet(
        `e:DigitalSourceType="${capture}"><e:DigitalSourceType>${capture}</e:DigitalSourceType></rdf:Description><x ${KEPT}`,
      ),
    ],
    ['none', packet()],
  ])('with the source as %s has one statement afterwards, and the rest as before', (_what, earlier) => {
    const text = Buffer.from(xmpPacket(TYPE, earlier)).toString();

    expect(text).toContain(STATEMENT);
    expect(count(text, 'DigitalSourceType')).toBe(2);
    expect(text).not.toContain(capture);
    expect(text).toContain(KEPT);
    expect(text).toContain('<rdf:Description rdf:about="uuid:1" xmlns:Iptc4xmpExt=');
    expect(text.indexOf(STATEMENT)).toBeLessThan(text.indexOf('</rdf:RDF>'));
    expect(text.endsWith('</rdf:RDF></x:xmpmeta>')).toBe(true);
  });

  test('is the same when it is marked again, and states the newest source if that changes', () => {
    for (const earlier of [undefined, packet()]) {
      for (const type of SOURCE_TYPES) {
        const once = xmpPacket(type, earlier);
        expect(Buffer.from(xmpPacket(type, once))).toEqual(Buffer.from(once));
        for (const other of SOURCE_TYPES) {
          const changed = Buffer.from(xmpPacket(other, once)).toString();
          expect(changed).toBe(Buffer.from(xmpPacket(other, earlier)).toString());
        }
      }
    }
  });

  test.each([
    ['is not text', Buffer.concat([packet(), Buffer.from([0xff, 0xfe])])],
    ['has no end', Buffer.from('<x:xmpmeta><rdf:RDF>')],
    ['is empty', Buffer.alloc(0)],
    [
      'is larger than the limit',
      Buffer.concat([packet(), Buffer.alloc(XMP_BYTES_MAX + 1 - packet().length, ' ')]),
    ],
  ])('that %s is written again', (_what, earlier) => {
    expect(xmpPacket(TYPE, earlier)).toEqual(xmpPacket(TYPE));
  });

  test.each([
    ['spaces', ' '],
    ['lines', '\n \t'],
    ['names', 'a.b-c'],
    ['attributes', ' e:DigitalSourceType'],
    ['attributes without an end', ' e:DigitalSourceType="'],
    ['elements without an end', '<e:DigitalSourceType '],
    ['elements that are not closed', '<e:DigitalSourceType>'],
    ['statements', '<rdf:Description rdf:about="" xmlns:Iptc4xmpExt="'],
    ['subjects', 'rdf:about= "'],
  ])('full of %s is read quickly', (_what, part) => {
    const filled = packet(`${KEPT}>${part.repeat(Math.ceil(400_000 / part.length))}<y>z</y><x`);
    const before = process.cpuUsage();

    const after = Buffer.from(xmpPacket(TYPE, filled)).toString();

    const { user } = process.cpuUsage(before);
    expect(user / 1_000).toBeLessThan(1_000);
    expect(after).toContain(STATEMENT);
  });

  test('with exactly the largest size is kept', () => {
    const earlier = Buffer.concat([packet(), Buffer.alloc(XMP_BYTES_MAX - packet().length, ' ')]);
    expect(Buffer.from(xmpPacket(TYPE, earlier)).toString()).toContain(KEPT);
  });
});

function segment(marker: number, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1')));
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

const XAP = 'http://ns.adobe.com/xap/1.0/\0';

describe('the mark of a JPEG', () => {
  const start = Buffer.from([0xff, 0xd8]);
  const scan = Buffer.concat([segment(0xda, '\x01\x01\0\0\x3f\0'), Buffer.from('pixels\xff\xd9', 'latin1')]);
  const jfif = segment(0xe0, 'JFIF\0', Buffer.alloc(9));
  const exif = segment(0xe1, 'Exif\0\0', 'camera');
  const icc = segment(0xe2, 'ICC_PROFILE\0', 'profile');
  const comment = segment(0xfe, 'words');
  const table = segment(0xdb, Buffer.alloc(65));
  const fresh = segment(0xe1, XAP, xmpPacket(TYPE));
  const merged = segment(0xe1, XAP, xmpPacket(TYPE, packet()));
  const own = segment(0xe1, XAP, packet());
  const second = segment(0xe1, XAP, packet('dc:format="second"'));

  test.each([
    ['alone', [table], [fresh, table]],
    ['behind JFIF', [jfif, table], [jfif, fresh, table]],
    ['behind Exif', [jfif, exif, icc, table], [jfif, exif, fresh, icc, table]],
    ['before the segment that precedes Exif', [icc, exif, table], [fresh, icc, exif, table]],
    ['before a comment', [comment, jfif, table], [fresh, comment, jfif, table]],
    ['in place of an earlier one', [jfif, own, table], [jfif, merged, table]],
    ['in place of an earlier one behind other segments', [jfif, icc, table, own], [jfif, merged, icc, table]],
    ['in place of the first of two', [own, jfif, second, exif, table], [jfif, exif, merged, table]],
    ['without fill bytes', [Buffer.from([0xff, 0xff]), jfif, table], [jfif, fresh, table]],
    [
      'beside a segment that only looks like one',
      [segment(0xe3, XAP, packet()), table],
      [fresh, segment(0xe3, XAP, packet()), table],
    ],
  ])('is placed %s', async (_where, before, after) => {
    const { marked, bytes } = await mark('image/jpeg', Buffer.concat([start, ...before, scan]));
    expect(marked).toBe('marked');
    expect(bytes).toEqual(Buffer.concat([start, ...after, scan]));
  });

  test('replaces an earlier packet if both would not fit into one segment, and keeps one if they do', async () => {
    const room = 65_533 - XAP.length;
    const added = xmpPacket(TYPE, packet()).length - packet().length;
    for (const [length, expected] of [
      [room - added, true],
      [room - added + 1, false],
    ] as const) {
      const words = `${KEPT} x="`;
      const filled = packet(`${words}${'x'.repeat(length - packet(`${words}"`).length)}"`);
      expect(filled).toHaveLength(length);
      const { bytes } = await mark('image/jpeg', Buffer.concat([start, segment(0xe1, XAP, filled), scan]));
      expect(bytes.readUInt16BE(4)).toBe(expected ? 65_535 : fresh.length - 2);
      expect([length, bytes.includes(KEPT), count(bytes.toString('latin1'), STATEMENT)]).toEqual([
        length,
        expected,
        1,
      ]);
    }
  });

  test.each([
    ['does not start as one', Buffer.concat([Buffer.from([0xff, 0xd9]), table, scan])],
    ['has no marker where one must be', Buffer.concat([start, Buffer.from('xxxx'), scan])],
    ['has a segment without a length', Buffer.concat([start, Buffer.from([0xff, 0xdb, 0, 1]), scan])],
    ['has a segment beyond the end', Buffer.concat([start, table, Buffer.from([0xff, 0xdb, 0xff, 0xff, 0])])],
    ['has no picture', Buffer.concat([start, jfif, table])],
  ])('is not inserted into a file that %s', async (_what, bytes) => {
    expect((await mark('image/jpeg', bytes)).marked).toBe('damaged');
  });
});

describe('the mark of a PNG', () => {
  const chunk = (type: string, ...parts: readonly (string | Uint8Array)[]): Buffer => {
    const body = Buffer.concat([type, ...parts].map((part) => Buffer.from(part as string, 'latin1')));
    const framed = Buffer.alloc(body.length + 8);
    framed.writeUInt32BE(body.length - 4);
    framed.set(body, 4);
    framed.writeUInt32BE(crc32(body), body.length + 4);
    return framed;
  };
  const KEYWORD = 'XML:com.adobe.xmp\0';
  const start = Buffer.from('89504e470d0a1a0a', 'hex');
  const header = chunk('IHDR', Buffer.alloc(13, 1));
  const rest = [
    chunk('pHYs', Buffer.alloc(9)),
    chunk('tEXt', 'Comment\0words'),
    chunk('IDAT', 'pixels'),
    chunk('IEND'),
  ];
  const fresh = chunk('iTXt', KEYWORD, Buffer.alloc(4), xmpPacket(TYPE));
  const merged = chunk('iTXt', KEYWORD, Buffer.alloc(4), xmpPacket(TYPE, packet()));

  test.each([
    ['no packet', [], fresh],
    ['a plain packet', [chunk('iTXt', KEYWORD, Buffer.alloc(4), packet())], merged],
    ['a compressed one', [chunk('iTXt', KEYWORD, '\x01\0en\0words\0', deflateSync(packet()))], merged],
    [
      'a compressed one without a language',
      [chunk('iTXt', KEYWORD, '\x01\0\0\0', deflateSync(packet()))],
      merged,
    ],
    ['a compressed text', [chunk('zTXt', KEYWORD, '\0', deflateSync(packet()))], merged],
    ['a text', [chunk('tEXt', KEYWORD, packet())], merged],
    [
      'two packets',
      [chunk('tEXt', KEYWORD, packet()), chunk('tEXt', KEYWORD, packet('dc:format="second"'))],
      merged,
    ],
    ['one that cannot be decompressed', [chunk('zTXt', KEYWORD, '\0nothing')], fresh],
    ['one in another language', [chunk('iTXt', KEYWORD, '\0\0de\0\0', packet())], fresh],
    [
      'one that decompresses to too much',
      [
        chunk(
          'zTXt',
          KEYWORD,
          '\0',
          deflateSync(Buffer.concat([packet(), Buffer.alloc(XMP_BYTES_MAX, ' ')])),
        ),
      ],
      fresh,
    ],
  ])('takes the place of %s', async (_what, earlier, expected) => {
    for (const before of [
      [header, ...earlier, ...rest],
      [header, ...rest.slice(0, 2), ...earlier, ...rest.slice(2)],
    ]) {
      const { bytes, marked } = await mark('image/png', Buffer.concat([start, ...before]));
      expect(marked).toBe('marked');
      expect(bytes).toEqual(Buffer.concat([start, header, expected, ...rest]));
    }
  });

  test.each([
    ['does not start as one', Buffer.concat([Buffer.alloc(8), header, ...rest])],
    ['does not start with its header', Buffer.concat([start, ...rest, header])],
    ['is empty', start],
    ['is truncated', Buffer.concat([start, header, ...rest]).subarray(0, -1)],
    ['continues with another chunk', Buffer.concat([start, header, ...rest, Buffer.from('more')])],
  ])('is not inserted into a file that %s', async (_what, bytes) => {
    expect((await mark('image/png', bytes)).marked).toBe('damaged');
  });
});

describe('the mark of a WebP', () => {
  const chunk = (type: string, body: Uint8Array): Buffer => {
    const head = Buffer.alloc(8);
    head.write(type, 'latin1');
    head.writeUInt32LE(body.length, 4);
    return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
  };
  const riff = (...chunks: readonly Uint8Array[]): Buffer => {
    const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
    const head = Buffer.from('RIFF\0\0\0\0', 'latin1');
    head.writeUInt32LE(body.length, 4);
    return Buffer.concat([head, body]);
  };
  const extended = (flags: number, width: number, height: number): Buffer => {
    const body = Buffer.alloc(10);
    body[0] = flags;
    body.writeUIntLE(width - 1, 4, 3);
    body.writeUIntLE(height - 1, 7, 3);
    return chunk('VP8X', body);
  };
  const fresh = chunk('XMP ', xmpPacket(TYPE));

  test.each([
    [1, 1, false],
    [33, 21, false],
    [33, 21, true],
    [700, 3, true],
    [3, 700, false],
  ])(
    'gives a plain WebP of %i x %i pixels a header with its size; transparent: %s',
    async (width, height, hasAlpha) => {
      const background = { r: 200, g: 80, b: 120, alpha: 0.5 };
      const image = sharp({ create: { width, height, channels: hasAlpha ? 4 : 3, background } });
      const forms = hasAlpha
        ? [image.webp({ lossless: true })]
        : [image.webp(), image.clone().webp({ lossless: true })];
      for (const form of forms) {
        const plain = await form.toBuffer();
        const { bytes } = await mark('image/webp', plain);
        expect(bytes).toEqual(
          riff(extended(0x04 | (hasAlpha ? 0x10 : 0), width, height), plain.subarray(12), fresh),
        );
        expect(await sharp(bytes).metadata()).toMatchObject({ width, height, hasAlpha });
      }
    },
  );

  test('adds its flag to those of an extended WebP, whose parts stay as they are', async () => {
    const picture = (
      await sharp({ create: { width: 9, height: 7, channels: 3, background: '#a40' } })
        .webp()
        .toBuffer()
    ).subarray(12);
    const parts = [chunk('ICCP', Buffer.from('odd')), picture, chunk('EXIF', Buffer.from('camera'))];
    const old = chunk('XMP ', packet());
    const merged = chunk('XMP ', xmpPacket(TYPE, packet()));
    for (const flags of [0x00, 0x28, 0x2c, 0x3e]) {
      const head = extended(flags, 9, 7);
      const after = extended(flags | 0x04, 9, 7);
      expect((await mark('image/webp', riff(head, ...parts))).bytes).toEqual(riff(after, ...parts, fresh));
      const before = riff(
        head,
        ...parts.slice(0, 2),
        old,
        ...parts.slice(2),
        chunk('XMP ', packet('dc:format="second"')),
      );
      expect((await mark('image/webp', Buffer.concat([before, Buffer.from('behind it')]))).bytes).toEqual(
        riff(after, ...parts, merged),
      );
    }
  });

  test('replaces an earlier packet that is too large', async () => {
    const picture = (
      await sharp({ create: { width: 9, height: 7, channels: 3, background: '#a40' } })
        .webp()
        .toBuffer()
    ).subarray(12);
    for (const [length, isKept] of [
      [XMP_BYTES_MAX, true],
      [XMP_BYTES_MAX + 1, false],
    ] as const) {
      const old = Buffer.concat([packet(), Buffer.alloc(length - packet().length, ' ')]);
      const { text } = await mark('image/webp', riff(extended(4, 9, 7), picture, chunk('XMP ', old)));
      expect([count(text, 'XMP '), text.includes(KEPT)]).toEqual([1, isKept]);
    }
  });

  test.each([
    ['does not start as one', Buffer.concat([Buffer.from('RIFX\0\0\0\0WEBP'), extended(0, 1, 1)])],
    ['is another kind of RIFF', Buffer.concat([Buffer.from('RIFF\x12\0\0\0WAVE'), extended(0, 1, 1)])],
    [
      'has a header of another length',
      riff(chunk('VP8X', Buffer.alloc(12)), chunk('VP8 ', Buffer.alloc(10))),
    ],
    ['has no picture', riff(chunk('EXIF', Buffer.alloc(4)))],
    ['has a picture of another kind', riff(chunk('VP8 ', Buffer.alloc(12)))],
    ['has a lossless picture of another kind', riff(chunk('VP8L', Buffer.alloc(12)))],
    ['is truncated', riff(extended(0, 1, 1), chunk('VP8 ', Buffer.alloc(100))).subarray(0, -2)],
  ])('is not inserted into a file that %s', async (_what, bytes) => {
    expect((await mark('image/webp', bytes)).marked).toBe('damaged');
  });
});

describe('the mark of a GIF', () => {
  const screen = (version: string, colours: boolean): Buffer => {
    const bytes = Buffer.alloc(13 + (colours ? 12 : 0), 7);
    bytes.write(`GIF${version}`, 'latin1');
    bytes[10] = colours ? 0x81 : 0x01;
    return bytes;
  };
  const block = (label: number, ...parts: readonly string[]): Buffer =>
    Buffer.concat([
      Buffer.from([0x21, label]),
      ...parts.flatMap((part) => [Buffer.from([part.length]), Buffer.from(part, 'latin1')]),
      Buffer.alloc(1),
    ]);
  const trailer = Buffer.from([1, ...Array.from({ length: 256 }, (_, at) => 255 - at), 0]);
  const xmp = (text: Uint8Array): Buffer =>
    Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from('XMP DataXMP'), text, trailer]);
  const repeat = block(0xff, 'NETSCAPE2.0', '\x01\0\0');
  const comment = block(0xfe, 'a', 'bc');
  const control = block(0xf9, '\0\0\0\0');
  const picture = Buffer.concat([Buffer.from([0x2c]), Buffer.alloc(9, 1), Buffer.from([2, 1, 0, 0, 0x3b])]);

  test.each([
    ['87a', true, []],
    ['89a', false, []],
    ['89a', true, [repeat, comment, control]],
    ['89a', true, [xmp(Buffer.from('<an earlier one>')), repeat]],
    ['89a', true, [repeat, xmp(Buffer.from('<an earlier one>')), comment, xmp(Buffer.from('<another one>'))]],
  ] as const)(
    'is placed behind the screen descriptor of a GIF%s, with colours: %s, in place of earlier ones',
    async (version, colours, parts) => {
      const rest = Buffer.concat([picture, xmp(Buffer.from('<behind a picture>'))]);
      const { bytes } = await mark('image/gif', Buffer.concat([screen(version, colours), ...parts, rest]));
      const kept = parts.filter((part) => !part.includes('XMP DataXMP'));
      expect(bytes).toEqual(Buffer.concat([screen('89a', colours), xmp(xmpPacket(TYPE)), ...kept, rest]));
    },
  );

  test.each([
    ['of another version', Buffer.concat([screen('88a', true), picture])],
    ['that is truncated within an extension', Buffer.concat([screen('89a', true), comment.subarray(0, -2)])],
    ['that is truncated within its screen descriptor', screen('89a', false).subarray(0, 12)],
  ])('is not inserted into a file %s', async (_what, bytes) => {
    expect((await mark('image/gif', bytes)).marked).toBe('damaged');
  });
});

describe('the mark of an MP4', () => {
  const box = (type: string, ...parts: readonly (string | Uint8Array)[]): Buffer => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1')));
    const head = Buffer.alloc(8);
    head.writeUInt32BE(body.length + 8);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, body]);
  };
  const long = (type: string, body: Uint8Array): Buffer => {
    const head = Buffer.alloc(16);
    head.writeUInt32BE(1);
    head.write(type, 4, 'latin1');
    head.writeBigUInt64BE(BigInt(body.length + 16), 8);
    return Buffer.concat([head, body]);
  };
  const open = (bytes: Buffer): Buffer => Buffer.concat([Buffer.alloc(4), bytes.subarray(4)]);
  const free = (bytes: Buffer): Buffer =>
    Buffer.concat([bytes.subarray(0, 4), Buffer.from('free'), bytes.subarray(8)]);
  const UUID = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
  const ftyp = box('ftyp', 'isom\0\0\0\0isom');
  const data = box('mdat', 'pictures');
  const moov = box('moov', box('mvhd', Buffer.alloc(20)));
  const index = box('mfra', 'where fragments are');
  const fresh = box('uuid', UUID, xmpPacket(TYPE));
  const merged = box('uuid', UUID, xmpPacket(TYPE, packet()));
  const own = box('uuid', UUID, packet());
  const second = box('uuid', UUID, packet('dc:format="second"'));
  const stranger = box('uuid', Buffer.alloc(16, 7), packet());
  const large = box('uuid', UUID, packet(), Buffer.alloc(XMP_BYTES_MAX, ' '));

  test.each([
    ['at its end', [ftyp, moov, data], [ftyp, moov, data, fresh]],
    ['before the index of its fragments', [ftyp, moov, data, index], [ftyp, moov, data, fresh, index]],
    ['at the end, if an index is not the last box', [ftyp, index, data], [ftyp, index, data, fresh]],
    [
      'behind long boxes',
      [ftyp, long('mdat', Buffer.alloc(9))],
      [ftyp, long('mdat', Buffer.alloc(9)), fresh],
    ],
    ['behind a box that extended to the end', [ftyp, moov, open(data)], [ftyp, moov, data, fresh]],
    ['for an earlier one, which becomes free space', [ftyp, own, data], [ftyp, free(own), data, merged]],
    [
      'for an earlier long one',
      [ftyp, long('uuid', Buffer.concat([UUID, packet()])), data],
      [ftyp, free(long('uuid', Buffer.concat([UUID, packet()]))), data, merged],
    ],
    ['for an earlier one that extended to the end', [ftyp, data, open(own)], [ftyp, data, free(own), merged]],
    ['for two earlier ones', [ftyp, own, data, second], [ftyp, free(own), data, free(second), merged]],
    ['for one that is too large to be kept', [ftyp, large, data], [ftyp, free(large), data, fresh]],
    [
      'beside a box of another kind',
      [ftyp, stranger, box('uuid', 'short'), data],
      [ftyp, stranger, box('uuid', 'short'), data, fresh],
    ],
    ['for one before the index', [ftyp, data, own, index], [ftyp, data, free(own), merged, index]],
    ['in place of a few bytes behind the last box', [ftyp, data, Buffer.from('more')], [ftyp, data, fresh]],
  ])('is placed %s', async (_where, before, after) => {
    for (const mime of ['video/mp4', 'video/x-m4v', 'video/quicktime', 'video/3gpp']) {
      const { marked, bytes } = await mark(mime, Buffer.concat(before));
      expect(marked).toBe('marked');
      expect(bytes.equals(Buffer.concat(after))).toBe(true);
    }
  });

  test.each([
    ['is empty', Buffer.from('ftyp')],
    [
      'has a box that is smaller than its header',
      Buffer.concat([ftyp, Buffer.from('\0\0\0\x07free', 'latin1')]),
    ],
    [
      'has a long box that is smaller than its header',
      Buffer.concat([ftyp, Buffer.from('\0\0\0\x01free\0\0\0\0\0\0\0\x0f', 'latin1')]),
    ],
    ['has a box beyond the end', Buffer.concat([ftyp, data]).subarray(0, -1)],
    [
      'has a box whose size is beyond all limits',
      Buffer.concat([ftyp, Buffer.from('\0\0\0\x01free\x7f\xff\xff\xff\xff\xff\xff\xff', 'latin1')]),
    ],
  ])('is not inserted into a file that %s', async (_what, bytes) => {
    expect((await mark('video/mp4', bytes)).marked).toBe('damaged');
  });
});

describe('the mark of a WebM', () => {
  const header = element('1a45dfa3', element('4282', Buffer.from('webm')));
  const cluster = element('1f43b675', Buffer.from('pictures'));
  const tags = (type: SourceType): Buffer => {
    const four = (id: string, ...parts: readonly Uint8Array[]): Buffer => {
      const body = Buffer.concat(parts);
      const size = Buffer.alloc(4);
      size.writeUInt32BE(body.length | 0x1000_0000);
      return Buffer.concat([Buffer.from(id, 'hex'), size, body]);
    };
    const simple = four(
      '67c8',
      four('45a3', Buffer.from('DIGITAL_SOURCE_TYPE')),
      four('4487', Buffer.from(sourceTypeUri(type))),
    );
    return four('1254c367', four('7373', four('63c0'), simple));
  };
  /**
   * Creates a segment whose size is written in this many bytes; if the segment is open, its size is marked as unknown.
   */
  const segment = (width: number, body: Uint8Array, isOpen = false): Buffer => {
    const size = Buffer.alloc(8);
    const mark = 1n << BigInt(7 * width);
    size.writeBigUInt64BE((isOpen ? mark - 1n : BigInt(body.length)) | mark);
    return Buffer.concat([Buffer.from('18538067', 'hex'), size.subarray(8 - width), body]);
  };

  test.each([2, 3, 4, 8])('is placed at the end of a segment whose size has %i bytes', async (width) => {
    for (const mime of ['video/webm', 'video/matroska']) {
      const { bytes } = await mark(mime, Buffer.concat([header, segment(width, cluster)]));
      expect(bytes).toEqual(Buffer.concat([header, segment(width, Buffer.concat([cluster, tags(TYPE)]))]));
    }
  });

  test.each([1, 8])('is placed at the end of a segment with an unknown size of %i bytes', async (width) => {
    const { bytes } = await mark('video/webm', Buffer.concat([header, segment(width, cluster, true)]));
    expect(bytes).toEqual(
      Buffer.concat([header, segment(width, Buffer.concat([cluster, tags(TYPE)]), true)]),
    );
  });

  test.each(SOURCE_TYPES)('replaces only an earlier mark that states %s', async (earlier) => {
    const behind = Buffer.from('behind it');
    const body = Buffer.concat([tags(earlier), cluster, tags(earlier)]);
    const { bytes } = await mark('video/webm', Buffer.concat([header, segment(8, body), behind]));
    const after = Buffer.concat([tags(earlier), cluster, tags(TYPE)]);
    expect(bytes).toEqual(Buffer.concat([header, segment(8, after), behind]));
    const alone = await mark('video/webm', Buffer.concat([header, segment(8, tags(earlier))]));
    expect(alone.bytes).toEqual(Buffer.concat([header, segment(8, tags(TYPE))]));
  });

  test('requires a size field that can hold the larger size', async () => {
    const added = tags(TYPE).length;
    // In a size field with two bytes, the largest number would mean that the size is unknown.
    for (const [length, marked] of [
      [0x3fff - 1 - added, 'marked'],
      [0x3fff - added, 'damaged'],
    ] as const) {
      const body = element('ec', Buffer.alloc(length - 9));
      expect(body).toHaveLength(length);
      const outcome = await mark('video/webm', Buffer.concat([header, segment(2, body)]));
      expect([length, outcome.marked]).toEqual([length, marked]);
    }
    expect((await mark('video/webm', Buffer.concat([header, segment(1, cluster)]))).marked).toBe('damaged');
  });

  test.each([
    ['does not start as one', Buffer.concat([cluster, segment(8, cluster)])],
    ['has no segment', Buffer.concat([header, cluster])],
    ['has a header without a size', Buffer.concat([Buffer.from('1a45dfa3ff', 'hex'), segment(8, cluster)])],
    ['has a size of nine bytes', Buffer.concat([header, Buffer.from('1853806700', 'hex'), cluster])],
    ['is truncated', Buffer.concat([header, segment(8, cluster)]).subarray(0, -1)],
  ])('is not inserted into a file that %s', async (_what, bytes) => {
    expect((await mark('video/webm', bytes)).marked).toBe('damaged');
  });
});

test('a format without a place for the mark is reported, and a missing file is not reported as damaged', async () => {
  for (const mime of ['audio/mpeg', 'image/svg+xml', 'video/x-msvideo', '']) {
    expect([mime, (await mark(mime, Buffer.from('anything'))).marked]).toEqual([mime, 'unknown_format']);
  }
  const gone = markFile(join(await useFolder(), 'gone'), { mime: 'image/png', type: TYPE }, NEVER);
  await expect(gone).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a file whose marking is aborted stays as it is, without further files', async () => {
  const path = join(await useFolder(), 'file');
  const bytes = await sharp({ create: { width: 9, height: 7, channels: 3, background: '#a40' } })
    .png()
    .toBuffer();
  await writeFile(path, bytes);
  const stop = AbortSignal.abort(new Error('No longer wanted'));

  await expect(markFile(path, { mime: 'image/png', type: TYPE }, stop)).rejects.toThrow('No longer wanted');

  expect(await readdir(dirname(path))).toEqual(['file']);
  expect(await readFile(path)).toEqual(bytes);
});
