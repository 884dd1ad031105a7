import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

/** Creates a box from its type and body; the box starts with its size. */
function box(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

const HEADER = element('1a45dfa3', element('4282', Buffer.from('matroska')));
const FTYP = box('ftyp', Buffer.from('isom\0\0\0\0isom', 'latin1'));
const MVHD = box('mvhd', Buffer.from('000000000000000000000000000003e8', 'hex'), Buffer.alloc(84));
/** Two bytes each: an unknown element, and an element that stays. */
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
