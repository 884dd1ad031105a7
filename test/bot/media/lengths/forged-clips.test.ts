import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { taggedMedia } from '../tagged-media.ts';
import { element, fraction, matroska, number } from './matroska-writer.ts';
import { type BoxNode, boxesOf, putTogether, table, takeApart } from './mp4-editor.ts';
import { type SoundPackets, soundPackets } from './sound-packets.ts';
import { expectNotShort, measuredLength } from './measured-length.ts';
import { useDecoders } from './use-decoders.ts';

const decode = useDecoders();

const RUNS = { numRuns: 40 };

describe('an MP4', () => {
  let clip: Uint8Array;
  beforeAll(async () => {
    clip = await taggedMedia('mp4');
  });

  function forged(change: (moov: BoxNode) => void): Buffer {
    const parts = takeApart(clip);
    change(parts.moov);
    return putTogether(parts);
  }

  /** Replaces a table with these boxes in every track. */
  function replace(moov: BoxNode, parent: string, type: string, boxes: readonly BoxNode[]): void {
    for (const node of boxesOf(moov, parent)) {
      node.children = [...node.children.filter((child) => child.type !== type), ...boxes];
    }
  }

  function withEdits(moov: BoxNode, edits: readonly (readonly number[])[]): void {
    const list: BoxNode = {
      type: 'edts',
      children: [table('elst', [edits.length, ...edits.flat()])],
      body: Buffer.alloc(0),
    };
    replace(moov, 'trak', 'edts', [list]);
  }

  test('that is only split and reassembled keeps its length', async () => {
    const result = await expectNotShort(
      decode,
      forged(() => undefined),
      'video',
    );
    expect(result).toMatchObject({ measured: expect.closeTo(1, 0) as number });
  });

  test.each([
    ['plays its pictures thirty times', Array.from({ length: 30 }, () => [1_000, 0, 0x1_0000]), 'edits'],
    ['plays its pictures slowly', [[30_000, 0, 0x0800]], 'edits'],
    ['pauses on a picture', [[30_000, 0, 0]], 'edits'],
  ])('with an edit list that %s is refused with a reason', async (_name, edits, because) => {
    const result = await measuredLength(
      decode,
      forged((moov) => withEdits(moov, edits)),
      'video',
    );
    expect(result).toEqual({ refused: { kind: 'unclear_length', because } });
  });

  test.each([
    ['mvhd', 'moov'],
    ['tkhd', 'trak'],
    ['mdia', 'trak'],
    ['mdhd', 'mdia'],
    ['hdlr', 'mdia'],
    ['stbl', 'minf'],
    ['stsd', 'stbl'],
    ['stts', 'stbl'],
    ['stsz', 'stbl'],
    ['stsc', 'stbl'],
  ])('with two boxes %s is refused with a reason', async (type, parent) => {
    const bytes = forged((moov) => {
      for (const node of boxesOf(moov, parent)) {
        node.children = node.children.flatMap((child) => (child.type === type ? [child, child] : [child]));
      }
    });
    expect(await measuredLength(decode, bytes, 'video')).toEqual({
      refused: { kind: 'unclear_length', because: 'twice' },
    });
  });

  test('with a table hidden in the description of its sound is refused with a reason', async () => {
    const bytes = forged((moov) => {
      for (const node of boxesOf(moov, 'stsd')) {
        const hidden = Buffer.concat([
          Buffer.from('\0\0\0\x18stts', 'latin1'),
          Buffer.from('0000000000000001000000190000ffff', 'hex'),
        ]);
        const body = Buffer.concat([node.body, hidden]);
        body.writeUInt32BE(body.readUInt32BE(8) + hidden.length, 8);
        node.body = body;
      }
    });
    expect(await measuredLength(decode, bytes, 'video')).toEqual({
      refused: { kind: 'unclear_length', because: 'twice' },
    });
  });

  test('with two indexes is refused with a reason', async () => {
    const parts = takeApart(clip);
    const whole = putTogether(parts);
    const twice = Buffer.concat([whole, whole.subarray(parts.before.length)]);
    expect(await measuredLength(decode, twice, 'video')).toEqual({
      refused: { kind: 'unclear_length', because: 'twice' },
    });
  });

  test('whose timescale says that its sound takes no time is as long as its sound', async () => {
    const bytes = forged((moov) => {
      replace(moov, 'stbl', 'stts', [table('stts', [1, 2_000, 1])]);
      for (const node of boxesOf(moov, 'mdhd')) node.body.writeUInt32BE(1, 16);
      for (const node of boxesOf(moov, 'tkhd')) node.body.writeUInt32BE(1, 20);
      boxesOf(moov, 'mvhd')[0]?.body.writeUInt32BE(1, 16);
      replace(moov, 'trak', 'edts', []);
    });
    const result = await expectNotShort(decode, bytes, 'video');
    expect('measured' in result ? result.measured : 0).toBeGreaterThan(1);
  });

  const ticks = fc.oneof(
    fc.constantFrom(0, 1, 512, 1_024, 48_000, 2_000_000),
    fc.integer({ min: 0, max: 100_000 }),
  );
  const rows = fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), ticks), { maxLength: 5 });
  const forgeries = fc.record(
    {
      durations: rows,
      offsets: rows,
      edits: fc.array(fc.tuple(ticks, fc.constantFrom(-1, 0, 500), fc.constantFrom(0x1_0000, 0x1_0000, 0)), {
        maxLength: 3,
      }),
      clockHz: fc.constantFrom(1, 600, 1_000, 48_000, 0x7fff_ffff),
      movieHz: fc.constantFrom(1, 600, 1_000, 0x7fff_ffff),
      samplesPerChunk: fc.integer({ min: 1, max: 200 }),
      stated: ticks,
    },
    { requiredKeys: [] },
  );

  test('is never measured shorter than programs play it, whatever its tables say', async () => {
    await fc.assert(
      fc.asyncProperty(forgeries, async (forgery) => {
        const { durations, offsets, edits, clockHz, movieHz, samplesPerChunk, stated } = forgery;
        const bytes = forged((moov) => {
          if (durations)
            replace(moov, 'stbl', 'stts', [table('stts', [durations.length, ...durations.flat()])]);
          if (offsets) replace(moov, 'stbl', 'ctts', [table('ctts', [offsets.length, ...offsets.flat()])]);
          if (edits) withEdits(moov, edits);
          if (samplesPerChunk) replace(moov, 'stbl', 'stsc', [table('stsc', [1, 1, samplesPerChunk, 1])]);
          for (const { body } of boxesOf(moov, 'mdhd')) {
            if (clockHz) body.writeUInt32BE(clockHz, 12);
            if (stated !== undefined) body.writeUInt32BE(stated, 16);
          }
          if (movieHz) boxesOf(moov, 'mvhd')[0]?.body.writeUInt32BE(movieHz, 12);
        });
        await expectNotShort(decode, bytes, 'video');
      }),
      RUNS,
    );
  });
});

test.each([1, 2, 3])(
  'a Matroska file that ends with a block of %i bytes of sound is admitted',
  async (bytes) => {
    const sound = await soundPackets(await taggedMedia('ogg (Opus)'));
    const last = { data: Buffer.from('f8fffe', 'hex').subarray(0, bytes), tick: 1_100 };
    const clip = matroska({ codec: 'A_OPUS', setup: sound.setup, packets: [...sound.packets, last] });
    const result = await expectNotShort(decode, clip, 'audio');
    expect('measured' in result ? result.measured : 0).toBeGreaterThan(1);
  },
);

describe.each([
  ['A_OPUS', 'ogg (Opus)'],
  ['A_VORBIS', 'ogg (Vorbis)'],
  ['A_AAC', 'm4a'],
  ['A_MPEG/L3', 'mp3'],
  ['A_FLAC', 'flac'],
] as const)('a Matroska file of %s', (codec, name) => {
  let sound: SoundPackets;
  beforeAll(async () => {
    sound = await soundPackets(await taggedMedia(name));
  });

  test('whose packets are in time is measured at its real length', async () => {
    const result = await expectNotShort(decode, matroska({ codec, ...sound }), 'audio');
    expect(result).toMatchObject({ measured: expect.closeTo(1.1, 0) as number });
  });

  test('whose packets all start at the same time is as long as its packets', async () => {
    const packets = sound.packets.map(({ data }) => ({ data, tick: 0 }));
    const result = await expectNotShort(decode, matroska({ codec, setup: sound.setup, packets }), 'audio');
    expect('measured' in result ? result.measured : 0).toBeGreaterThan(0.95);
  });

  test('with a track that has its own timescale is refused with a reason', async () => {
    const inTrack = [element('23314f', fraction(30))];
    const result = await measuredLength(decode, matroska({ codec, ...sound, inTrack }), 'audio');
    expect(result).toEqual({ refused: { kind: 'unclear_length', because: 'speed' } });
  });

  test.each([
    ['two setups', { inTrack: [element('63a2', Buffer.alloc(30))] }],
    ['two clocks', { inInfo: [element('2ad7b1', number(1_000))] }],
    ['two descriptions', { inSegment: [element('1549a966')] }],
    ['two sets of tracks', { inSegment: [element('1654ae6b')] }],
  ])('with %s is refused with a reason', async (_name, more) => {
    const result = await measuredLength(decode, matroska({ codec, ...sound, ...more }), 'audio');
    expect(result).toMatchObject({ refused: { kind: 'unclear_length' } });
  });

  test('is never measured shorter than programs play it, whatever its times say', async () => {
    const forgeries = fc.record({
      ticks: fc.array(fc.oneof(fc.constantFrom(0, 1, 30_000), fc.integer({ min: 0, max: 120_000 })), {
        minLength: 1,
        maxLength: 20,
      }),
      tickNs: fc.constantFrom(1, 1_000, 1_000_000, 10_000_000),
      lacing: fc.constantFrom(1, 1, 2, 8),
      isEndless: fc.boolean(),
      stated: fc.constantFrom(undefined, 1, 20_000),
      packetNs: fc.constantFrom(undefined, 1, 500_000_000),
    });
    await fc.assert(
      fc.asyncProperty(forgeries, async ({ ticks, stated, packetNs, ...options }) => {
        const packets = sound.packets.map(({ data, tick }, index) => ({
          data,
          tick: ticks[index % (ticks.length * 2)] ?? tick,
        }));
        const inInfo = stated === undefined ? [] : [element('4489', fraction(stated))];
        const inTrack = packetNs === undefined ? [] : [element('23e383', number(packetNs))];
        const bytes = matroska({ ...options, codec, setup: sound.setup, packets, inInfo, inTrack });
        await expectNotShort(decode, bytes, 'audio');
      }),
      { numRuns: 15 },
    );
  });
});
