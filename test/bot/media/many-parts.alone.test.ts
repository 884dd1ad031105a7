import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { expect, test } from 'vitest';
import type { MediaKind } from '../../../src/base/media-type.ts';
import { admit } from '../../../src/bot/media/admit.ts';
import { MediaError } from '../../../src/bot/media/media-error.ts';
import { costProblem, measured } from '../../whole/fuzz/probe.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { element } from './lengths/matroska-writer.ts';
import { taggedMedia } from './tagged-media.ts';
import { LIMITS } from './use-media.ts';

const SIZE_BYTES = 9_000_000;

function filled(...parts: readonly Uint8Array[]): Buffer {
  const period = Buffer.concat(parts);
  return Buffer.alloc(SIZE_BYTES - (SIZE_BYTES % period.length), period);
}

/** Creates a box from its type and its content; the box starts with its own size. */
function box(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** Creates a PNG with many chunks of this type before its picture data. */
async function png(type: string, body: Uint8Array): Promise<Buffer> {
  const picture = await drawn().png().toBuffer();
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const chunk = Buffer.alloc(named.length + 8);
  chunk.writeUInt32BE(body.length);
  chunk.set(named, 4);
  chunk.writeUInt32BE(crc32(named), named.length + 4);
  return Buffer.concat([picture.subarray(0, 33), filled(chunk), picture.subarray(33)]);
}

function drawn(): Sharp {
  return sharp({ create: { width: 24, height: 16, channels: 3, background: 'red' } });
}

function webpChunk(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

const HEADER = element('1a45dfa3', element('4282', Buffer.from('matroska')));
const FTYP = box('ftyp', Buffer.from('isom\0\0\0\0isom', 'latin1'));
const MVHD = box('mvhd', Buffer.from('000000000000000000000000000003e8', 'hex'), Buffer.alloc(84));
/** An element that is removed because it is unknown, and an element that stays. Each has two bytes. */
const UNKNOWN = Buffer.from('ee80', 'hex');
const KEPT = Buffer.from('a780', 'hex');

const FILES: Readonly<Record<string, readonly [MediaKind, () => Promise<Uint8Array> | Uint8Array]>> = {
  'a Matroska of unknown elements': [
    'video',
    () => Buffer.concat([HEADER, element('18538067', filled(UNKNOWN))]),
  ],
  'a cluster of unknown elements': [
    'video',
    () => Buffer.concat([HEADER, element('18538067', element('1f43b675', filled(UNKNOWN)))]),
  ],
  'a cluster of unknown elements between others': [
    'video',
    () => Buffer.concat([HEADER, element('18538067', element('1f43b675', filled(UNKNOWN, KEPT)))]),
  ],
  'a Matroska of tracks': [
    'video',
    () =>
      Buffer.concat([HEADER, element('18538067', element('1654ae6b', filled(Buffer.from('ae80', 'hex'))))]),
  ],
  'an MP4 of empty boxes': ['video', () => Buffer.concat([FTYP, filled(box('free'))])],
  'an index of empty boxes': ['video', () => Buffer.concat([FTYP, box('moov', MVHD, filled(box('abcd')))])],
  'an index of empty tracks': ['video', () => Buffer.concat([FTYP, box('moov', MVHD, filled(box('trak')))])],
  'an index of empty tracks between other boxes': [
    'video',
    () => Buffer.concat([FTYP, box('moov', MVHD, filled(box('mvex'), box('abcd')))]),
  ],
  'an MP4 of fragments': ['video', () => Buffer.concat([FTYP, filled(box('moof', box('traf')))])],
  'a recording with a byte between every two frames': [
    'audio',
    async () => {
      const sound = Buffer.from(await taggedMedia('mp3'));
      const at = sound.indexOf('fffb', 3_000, 'hex');
      return filled(sound.subarray(at, at + 288 * 2), Buffer.alloc(1));
    },
  ],
  'a PNG that tells the size of its pixels again and again': [
    'image',
    () => png('pHYs', Buffer.from('000000010000000100', 'hex')),
  ],
  'a PNG that tells the same colours again and again': ['image', () => png('sRGB', Buffer.alloc(1))],
  'a PNG of many orientations': [
    'image',
    () => png('eXIf', Buffer.from('4d4d002a00000008000101120003000000010006000000000000', 'hex')),
  ],
  'a PNG of frames': ['image', () => png('fcTL', Buffer.alloc(26))],
  'a PNG of empty parts of its picture': ['image', () => png('IDAT', Buffer.alloc(0))],
  'a JPEG of tables': [
    'image',
    async () => {
      const picture = await drawn().jpeg().toBuffer();
      const table = Buffer.concat([Buffer.from('ffdb004300', 'hex'), Buffer.alloc(64, 1)]);
      return Buffer.concat([picture.subarray(0, 2), filled(table), picture.subarray(2)]);
    },
  ],
  'a JPEG of scans': [
    'image',
    async () => {
      const picture = await drawn().jpeg().toBuffer();
      const scan = picture.subarray(picture.indexOf('ffda', 0, 'hex'), -2);
      return Buffer.concat([picture.subarray(0, -2), filled(scan), picture.subarray(-2)]);
    },
  ],
  'a WebP of frames': [
    'image',
    async () => {
      const picture = (await drawn().webp().toBuffer()).subarray(12);
      const start = webpChunk('VP8X', Buffer.from('020000001700000f0000', 'hex'));
      const frame = webpChunk(
        'ANMF',
        Buffer.alloc(6),
        Buffer.from('1700000f0000', 'hex'),
        Buffer.alloc(4),
        picture,
      );
      const body = Buffer.concat([start, webpChunk('ANIM', Buffer.alloc(6)), filled(frame)]);
      return webpChunk('RIFF', Buffer.from('WEBP'), body);
    },
  ],
  'a GIF of frames': [
    'image',
    async () => {
      const picture = await drawn().gif().toBuffer();
      const frame = picture.subarray(picture.indexOf('2c00000000', 0, 'hex'), -1);
      return Buffer.concat([picture.subarray(0, -1), filled(frame), picture.subarray(-1)]);
    },
  ],
  'a WAV of empty chunks': [
    'audio',
    () => filled(Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'), Buffer.from('junk\0\0\0\0', 'latin1')),
  ],
};

test.each(Object.entries(FILES))(
  '%s needs little memory and does not block the program',
  async (_name, [kind, make]) => {
    const path = join(await useFolder(), 'file');
    const bytes = await make();
    const signal = new AbortController().signal;
    const run = async (): Promise<void> => {
      await writeFile(path, bytes);
      await admit(path, kind, LIMITS, signal).catch((error: unknown) => {
        if (!(error instanceof MediaError)) throw error;
      });
    };

    const { cost } = await measured(run);

    expect(await costProblem(cost, run)).toBeUndefined();
  },
);
