import { beforeAll, describe, expect, test } from 'vitest';
import { taggedMedia } from '../tagged-media.ts';
import { clean } from '../use-media.ts';
import { type BoxNode, boxesOf, headerOf, putTogether, table, takeApart } from './mp4-editor.ts';

const SECONDS = 9;

let clip: Uint8Array;
beforeAll(async () => {
  clip = await taggedMedia('mp4');
});

async function measured(change: (moov: BoxNode) => void): Promise<number> {
  const parts = takeApart(clip);
  change(parts.moov);
  return (await clean(putTogether(parts), 'video')).durationSeconds ?? 0;
}

/** Measures the clip without any false claim. */
async function plain(): Promise<number> {
  return measured(() => undefined);
}

function clockOf(moov: BoxNode, header: string): number {
  return boxesOf(moov, header)[0]?.body.readUInt32BE(12) ?? 0;
}

/** Makes every header box of this type, or only that of one track, claim this duration in ticks. */
function claim(
  moov: BoxNode,
  type: string,
  claimed: { readonly isLong: boolean; readonly ticks: (clockHz: number) => bigint; readonly track?: number },
): void {
  const clockHz = clockOf(moov, type === 'mdhd' ? 'mdhd' : 'mvhd');
  const track = claimed.track === undefined ? moov : (boxesOf(moov, 'trak')[claimed.track] ?? moov);
  for (const node of boxesOf(track, type)) {
    const own = type === 'mdhd' ? node.body.readUInt32BE(12) : clockHz;
    node.body = headerOf(node, { isLong: claimed.isLong, date: 0, duration: claimed.ticks(own) });
  }
}

function fragments(moov: BoxNode, isLong: boolean, ticks: bigint): void {
  const head = Buffer.alloc(isLong ? 12 : 8);
  head.writeUInt8(isLong ? 1 : 0);
  if (isLong) head.writeBigUInt64BE(ticks, 4);
  else head.writeUInt32BE(Number(ticks), 4);
  const mehd: BoxNode = { type: 'mehd', children: [], body: head };
  moov.children.push({ type: 'mvex', children: [mehd], body: Buffer.alloc(0) });
}

function edits(
  moov: BoxNode,
  isLong: boolean,
  rows: readonly (readonly [ticks: number, from: number])[],
  track = 0,
): void {
  const width = isLong ? 8 : 4;
  const body = Buffer.alloc(8 + rows.length * (2 * width + 4));
  body.writeUInt8(isLong ? 1 : 0);
  body.writeUInt32BE(rows.length, 4);
  for (const [index, [ticks, from]] of rows.entries()) {
    const row = 8 + index * (2 * width + 4);
    body.writeUIntBE(ticks, row + width - 4, 4);
    if (isLong) body.writeBigInt64BE(BigInt(from), row + width);
    else body.writeInt32BE(from, row + width);
    body.writeUInt32BE(0x1_0000, row + 2 * width);
  }
  const list: BoxNode = {
    type: 'edts',
    children: [{ type: 'elst', children: [], body }],
    body: Buffer.alloc(0),
  };
  const trak = boxesOf(moov, 'trak')[track];
  if (trak) trak.children = [...trak.children.filter(({ type }) => type !== 'edts'), list];
}

describe.each([
  ['the first version', false],
  ['the second version', true],
])('in boxes of %s,', (_version, isLong) => {
  const ticks = (clockHz: number): bigint => BigInt(SECONDS * clockHz);

  test.each(['mvhd', 'tkhd', 'mdhd'])(
    'the duration that a %s claims counts if it is the longest',
    async (type) => {
      const claims = type === 'mvhd' ? [undefined] : [0, 1];
      for (const track of claims) {
        const seconds = await measured((moov) =>
          claim(moov, type, { isLong, ticks, ...(track !== undefined && { track }) }),
        );
        expect([track, seconds]).toEqual([track, expect.closeTo(SECONDS, 2)]);
      }
      const short = await measured((moov) => claim(moov, type, { isLong, ticks: () => 1n }));
      expect(short).toBeCloseTo(await plain(), 1);
    },
  );

  test.each(['mvhd', 'tkhd', 'mdhd'])('a %s with an unknown duration claims none', async (type) => {
    const unknown = isLong ? 0xffff_ffff_ffff_ffffn : 0xffff_ffffn;
    const seconds = await measured((moov) => claim(moov, type, { isLong, ticks: () => unknown }));
    expect(seconds).toBeCloseTo(await plain(), 1);
  });

  test('the stated duration of fragments counts if it is the longest', async () => {
    const plainSeconds = await plain();
    for (const [claimed, most] of [
      [SECONDS, SECONDS],
      [0.1, plainSeconds],
    ] as const) {
      const length = await measured((moov) =>
        fragments(moov, isLong, BigInt(Math.round(claimed * clockOf(moov, 'mvhd')))),
      );
      expect(length).toBeCloseTo(most, 2);
    }
    const unknown = await measured((moov) =>
      fragments(moov, isLong, isLong ? 0xffff_ffff_ffff_ffffn : 0xffff_ffffn),
    );
    expect(unknown).toBeCloseTo(plainSeconds, 2);
  });

  test('the duration that an edit list plays counts if it is the longest', async () => {
    for (const track of [0, 1]) {
      const seconds = await measured((moov) => {
        const clockHz = clockOf(moov, 'mvhd');
        edits(moov, isLong, [[SECONDS * clockHz, 0]], track);
      });
      expect([track, seconds]).toEqual([track, expect.closeTo(SECONDS, 2)]);
    }
  });

  test('empty time before a track is added to the duration of the track', async () => {
    for (const track of [0, 1]) {
      const seconds = await measured((moov) => {
        const clockHz = clockOf(moov, 'mvhd');
        edits(
          moov,
          isLong,
          [
            [3 * clockHz, -1],
            [2 * clockHz, -1],
            [1, 0],
          ],
          track,
        );
      });
      expect([track, seconds > 5.9, seconds < 6.2]).toEqual([track, true, true]);
    }
  });

  test.each([
    ['starts before the beginning', [[1_000, -2]]],
    [
      'plays two parts',
      [
        [1_000, 0],
        [1, 0],
      ],
    ],
  ] as const)('an edit list that %s is refused with a reason', async (_what, rows) => {
    await expect(measured((moov) => edits(moov, isLong, rows))).rejects.toMatchObject({
      problem: { kind: 'unclear_length', because: 'edits' },
    });
  });
});

/** Replaces a table of the video track. */
function replace(moov: BoxNode, box: BoxNode): void {
  const [trak] = boxesOf(moov, 'trak');
  for (const stbl of trak ? boxesOf(trak, 'stbl') : []) {
    stbl.children = [...stbl.children.filter(({ type }) => type !== box.type), box];
  }
}

test.each<[string, (clockHz: number) => BoxNode]>([
  ['durations', (clockHz) => table('stts', [2, 24, 0, 1, SECONDS * clockHz])],
  [
    'durations, the last of which repeats',
    (clockHz) => table('stts', [2, 1, 0, 1, (SECONDS * clockHz) / 24]),
  ],
  ['times of pictures', (clockHz) => table('ctts', [3, 23, 0, 1, SECONDS * clockHz, 1, 0])],
])('the duration that the %s of samples claim counts if it is the longest', async (_what, box) => {
  const seconds = await measured((moov) => replace(moov, box(clockOf(moov, 'mdhd'))));
  expect(Math.abs(seconds - SECONDS)).toBeLessThan(1.05);
  expect(seconds).toBeGreaterThanOrEqual(SECONDS);
});
