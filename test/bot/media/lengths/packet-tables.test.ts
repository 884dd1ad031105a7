import { beforeAll, describe, expect, test } from 'vitest';
import { taggedMedia } from '../tagged-media.ts';
import { clean } from '../use-media.ts';
import { element, fraction, matroska, number } from './matroska-writer.ts';
import { type BoxNode, boxesOf, putTogether, table, takeApart } from './mp4-editor.ts';

describe('a block of a Matroska', () => {
  /** The sizes of five Opus packets. A size is encoded as bytes that add up to it, so large sizes need more bytes. */
  const SIZES = [5, 700, 130, 9_000, 64];
  const PACKETS = SIZES.map((size, index) =>
    Buffer.from([(index % 4) << 3, ...Buffer.alloc(size - 1, 0xff)]),
  );
  const SECONDS = 0.01 + 0.02 + 0.04 + 0.06 + 0.01;

  function file(flags: number, body: readonly Uint8Array[], more: readonly Buffer[] = []): Buffer {
    const block = Buffer.concat([Buffer.from([0x81, 0, 0, flags]), ...body]);
    const group = element('a0', element('a1', block), ...more);
    return matroska({ codec: 'A_OPUS', setup: Buffer.alloc(0), packets: [], inSegment: [cluster(group)] });
  }

  function cluster(...parts: readonly Buffer[]): Buffer {
    return element('1f43b675', element('e7', number(0)), ...parts);
  }

  /** Encodes all sizes except the last, each as a sequence of bytes whose sum is the size. */
  function added(packets: readonly Buffer[]): Buffer {
    return Buffer.from(
      packets
        .slice(0, -1)
        .flatMap(({ length }) => [...Array<number>(Math.floor(length / 255)).fill(255), length % 255]),
    );
  }

  /** Encodes the first size, and then for every other size except the last, its difference from the previous one. */
  function relative(packets: readonly Buffer[], width: number): Buffer {
    const sizes = packets.slice(0, -1).map(({ length }) => length);
    return Buffer.concat(
      sizes.map((size, index) => {
        const bytes = Buffer.alloc(width);
        const own = index === 0 ? size : size - (sizes[index - 1] ?? 0) + 2 ** (7 * width - 1) - 1;
        bytes.writeUIntBE(2 ** (7 * width) + own, 0, width);
        return bytes;
      }),
    );
  }

  async function measuredSeconds(bytes: Buffer): Promise<number> {
    return (await clean(bytes, 'audio')).durationSeconds ?? 0;
  }

  test.each<[string, number, (packets: readonly Buffer[]) => Buffer]>([
    ['sequences that are added up', 2, added],
    ['differences of three bytes', 6, (packets) => relative(packets, 3)],
    ['differences of four bytes', 6, (packets) => relative(packets, 4)],
  ])('that states the sizes of its packets by %s is as long as all of them', async (_way, flags, sizes) => {
    const body = [Buffer.from([PACKETS.length - 1]), sizes(PACKETS), ...PACKETS];
    expect(await measuredSeconds(file(flags, body))).toBeCloseTo(SECONDS, 6);
  });

  test('whose packets have one size is as long as all of them', async () => {
    for (const size of [2, 3, 8]) {
      const even = [0, 1, 2, 3, 0].map((kind) => Buffer.from([kind << 3, ...Buffer.alloc(size - 1, 0xff)]));
      const length = await measuredSeconds(file(4, [Buffer.from([even.length - 1]), ...even]));
      expect([size, length]).toEqual([size, expect.closeTo(SECONDS, 6)]);
    }
  });

  test.each<[string, number, string]>([
    ['more sequences than bytes', 2, '03ffff'],
    ['packets larger than the block', 2, '01ff0100'],
    ['negative sizes', 6, '02818100'],
    ['a size without a width', 6, '010000'],
  ])('with %s is refused', async (_what, flags, body) => {
    await expect(measuredSeconds(file(flags, [Buffer.from(body, 'hex')]))).rejects.toMatchObject({
      problem: { kind: 'undecodable' },
    });
  });

  test('that claims more time than its packets take counts with the claimed time', async () => {
    const packet = [Buffer.from([0, 0])];
    expect(await measuredSeconds(file(0, packet, [element('9b', number(7_000))]))).toBeCloseTo(7.01, 1);
    const { length } = [...PACKETS];
    const lasts = { codec: 'A_OPUS', setup: Buffer.alloc(0), inTrack: [element('23e383', number(2e9))] };
    const packets = PACKETS.map((data) => ({ data, tick: 0 }));
    expect(
      Math.abs((await measuredSeconds(matroska({ ...lasts, packets, lacing: length }))) - 2 * length),
    ).toBeLessThan(0.2);
  });

  test('makes the clip as long as it claims, in a number of 4 or of 8 bytes', async () => {
    const short = Buffer.alloc(4);
    short.writeFloatBE(9_000);
    for (const inInfo of [[element('4489', short)], [element('4489', fraction(9_000))]]) {
      const packets = [{ data: Buffer.from([0, 0]), tick: 0 }];
      expect(
        await measuredSeconds(matroska({ codec: 'A_OPUS', setup: Buffer.alloc(0), packets, inInfo })),
      ).toBe(9);
    }
  });

  test('counts with its own claim if the clip has a number of another length', async () => {
    for (const length of [0, 2, 6]) {
      const inInfo = [element('4489', Buffer.alloc(length, 0x44))];
      const packets = [{ data: Buffer.from([0, 0]), tick: 0 }];
      const bytes = matroska({ codec: 'A_OPUS', setup: Buffer.alloc(0), packets, inInfo });
      expect([length, await measuredSeconds(bytes)]).toEqual([length, 0.01]);
    }
  });

  test('that is not the only one in its group is refused', async () => {
    const second = element('a1', Buffer.from([0x81, 0, 0, 0, 0, 0]));
    await expect(measuredSeconds(file(0, [Buffer.from([0, 0])], [second]))).rejects.toMatchObject({
      problem: { kind: 'undecodable' },
    });
  });
});

describe('an MP4', () => {
  let clip: Uint8Array;
  beforeAll(async () => {
    clip = await taggedMedia('mp4');
  });

  function box(type: string, ...inside: readonly Uint8Array[]): Buffer {
    const body = Buffer.concat(inside);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(body.length + 8);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, body]);
  }

  function words(...values: readonly number[]): Buffer {
    const bytes = Buffer.alloc(values.length * 4);
    for (const [index, value] of values.entries()) bytes.writeInt32BE(value | 0, index * 4);
    return bytes;
  }

  const [FIRST, COUNT, EACH, START] = [1, 3, 1_000, 100];
  const RUN = words(0, COUNT);
  const rows = (...row: readonly number[]): Buffer => Buffer.concat(Array<Buffer>(COUNT).fill(words(...row)));

  /**
   * A fragment of the video track: the content of its two boxes, the duration of each picture in milliseconds, and how
   * many milliseconds later the pictures are shown.
   */
  test.each<[string, Buffer, Buffer, number, number]>([
    ['only the defaults of the index', words(0, FIRST), RUN, 500, 0],
    ['a duration in the header', words(0x08, FIRST, EACH), RUN, EACH, 0],
    ['all fields in the header', words(0x3b, FIRST, 0, 0, 1, EACH, 9, 0), RUN, EACH, 0],
    ['a description in the header', words(0x0a, FIRST, 1, EACH), RUN, EACH, 0],
    ['an offset in the header', words(0x09, FIRST, 0, 0, EACH), RUN, EACH, 0],
    ['durations in rows', words(0, FIRST), Buffer.concat([words(0x100, COUNT), rows(EACH)]), EACH, 0],
    [
      'all fields in rows',
      words(0, FIRST),
      Buffer.concat([words(0xf05, COUNT, 0, 0), rows(EACH, 9, 0, 7_000)]),
      EACH,
      7_000,
    ],
    [
      'flags of the first picture',
      words(0, FIRST),
      Buffer.concat([words(0x104, COUNT, 0), rows(EACH)]),
      EACH,
      0,
    ],
    ['an offset in the run', words(0, FIRST), Buffer.concat([words(0x101, COUNT, 8), rows(EACH)]), EACH, 0],
    ['sizes and durations', words(0, FIRST), Buffer.concat([words(0x300, COUNT), rows(EACH, 9)]), EACH, 0],
    [
      'negative composition times',
      words(0x08, FIRST, EACH),
      Buffer.concat([words(0x100_0800, COUNT), rows(-500)]),
      EACH,
      -500,
    ],
  ])('with a fragment of %s is as long as the fragment', async (_what, header, run, each, later) => {
    const parts = takeApart(clip);
    const clock = boxesOf(parts.moov, 'mdhd')[0];
    clock?.body.writeUInt32BE(1_000, 12);
    clock?.body.writeUInt32BE(0, 16);
    for (const stts of boxesOf(parts.moov, 'stts').slice(0, 1)) stts.body = table('stts', [1, 1, 40]).body;
    for (const stbl of boxesOf(parts.moov, 'stbl').slice(0, 1)) {
      stbl.children = stbl.children.filter(({ type }) => type !== 'ctts');
    }
    const trex: BoxNode = { type: 'trex', children: [], body: words(0, FIRST, 1, 500, 0, 0) };
    parts.moov.children.push({ type: 'mvex', children: [trex], body: Buffer.alloc(0) });
    const whole = putTogether(parts);
    const starts = [
      [words(0, START * 1_000), START],
      [words(0x100_0000, 0, START * 1_000), START],
      [undefined, 1],
    ] as const;
    for (const [start, seconds] of starts) {
      const time = start ? [box('tfdt', start)] : [];
      const fragment = box('moof', box('traf', box('tfhd', header), ...time, box('trun', run)));
      const { durationSeconds } = await clean(Buffer.concat([whole, fragment]), 'video');
      expect([seconds, durationSeconds]).toEqual([
        seconds,
        expect.closeTo(seconds + (COUNT * each + later) / 1_000, 3),
      ]);
    }
    const traf = box('traf', box('tfhd', header), box('trun', run));
    const two = Buffer.concat([whole, box('moof', traf, traf)]);
    const { durationSeconds } = await clean(two, 'video');
    expect(durationSeconds).toBeCloseTo(1 + (2 * COUNT * each + later) / 1_000, 3);
  });

  /** The number of bytes in an AMR speech frame of each mode, including its first byte. */
  const NARROW = [13, 14, 16, 18, 20, 21, 27, 32, 6];
  const WIDE = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6];
  const AT_ONCE = 60;

  /** Returns the clip with these speech frames as its sound, one in each sample. */
  function speech(type: string, frames: readonly Buffer[], sizes: BoxNode, isLong: boolean): Buffer {
    const { before, moov } = takeApart(clip);
    const sound = boxesOf(moov, 'trak')[1];
    if (!sound) throw new Error('The clip has no sound');
    for (const { body } of boxesOf(sound, 'mdhd')) body.writeUInt32BE(0, 16);
    for (const node of boxesOf(sound, 'stsd')) {
      node.body = Buffer.concat([words(0, 1), box(type, Buffer.alloc(28))]);
    }
    const at = before.length + 8;
    for (const stbl of boxesOf(sound, 'stbl')) {
      const tables = [table('stts', [1, frames.length, 0]), sizes, table('stsc', [1, 1, frames.length, 1])];
      const places = isLong ? table('co64', [1, 0, at]) : table('stco', [1, at]);
      stbl.children = [...boxesOf(stbl, 'stsd'), ...tables, places];
    }
    return putTogether({ before: Buffer.concat([before, box('mdat', ...frames)]), moov });
  }

  test.each([
    ['samr', NARROW],
    ['sawb', WIDE],
  ])(
    'of speech (%s) is as long as its frames, of any mode, wherever its tables place them',
    async (type, bytes) => {
      for (const [kind, size] of bytes.entries()) {
        const frames = Array.from({ length: AT_ONCE }, () => {
          return Buffer.from([kind << 3, ...Buffer.alloc(size - 1, 0xff)]);
        });
        // Each sample has two frames, so that the size of the first frame decides where the second frame starts.
        const samples = frames.map((frame) => Buffer.concat([frame, frame]));
        const sizes = table('stsz', [size * 2, AT_ONCE]);
        const { durationSeconds } = await clean(speech(type, samples, sizes, kind % 2 === 1), 'video');
        expect([kind, durationSeconds]).toEqual([kind, expect.closeTo(AT_ONCE * 2 * 0.02, 6)]);
      }
    },
  );

  test.each([4, 8, 16])('with sizes of %i bits is as long as its frames', async (bits) => {
    const sizes = Array.from({ length: AT_ONCE + 1 }, (_none, index) =>
      index % 3 === 0 ? 6 : index % 3 === 1 ? 13 : 14,
    );
    const frames = sizes.map((size) => {
      return Buffer.from([
        [6, 13, 14].indexOf(size) === 0 ? 8 << 3 : (size - 13) << 3,
        ...Buffer.alloc(size - 1, 0xff),
      ]);
    });
    const body = Buffer.alloc(Math.ceil((sizes.length * bits) / 8));
    for (const [index, size] of sizes.entries()) {
      if (bits === 16) body.writeUInt16BE(size, index * 2);
      else if (bits === 8) body.writeUInt8(size, index);
      else body[index >> 1] = (body[index >> 1] ?? 0) | (index % 2 === 0 ? size << 4 : size);
    }
    const compact = { type: 'stz2', children: [], body: Buffer.concat([words(0, bits, sizes.length), body]) };
    const whole = speech('samr', frames, compact, false);
    expect((await clean(whole, 'video')).durationSeconds).toBeCloseTo((AT_ONCE + 1) * 0.02, 6);

    const cut = { ...compact, body: compact.body.subarray(0, -1) };
    await expect(clean(speech('samr', frames, cut, false), 'video')).rejects.toMatchObject({
      problem: { kind: 'undecodable' },
    });
  });
});
