import { beforeAll, expect, test } from 'vitest';
import { type MatroskaOptions, element, matroska, number } from './lengths/matroska-writer.ts';
import { type SoundPackets, soundPackets } from './lengths/sound-packets.ts';
import { taggedMedia } from './tagged-media.ts';
import { SECRET, clean, containsWords } from './use-media.ts';

let sound: SoundPackets;
beforeAll(async () => {
  const { setup, packets } = await soundPackets(await taggedMedia('ogg (Opus)'));
  sound = { setup, packets: packets.slice(0, 3) };
});

function file(more: Partial<MatroskaOptions>): Buffer {
  return matroska({ codec: 'A_OPUS', ...sound, ...more });
}

/** Creates an unknown element that has this many bytes in total, with the shortest possible size field. */
function unknown(length: number): Buffer {
  const sizeBytes = length < 129 ? 1 : length < 16_385 ? 2 : 3;
  const body = length - 1 - sizeBytes;
  const head = Buffer.alloc(1 + sizeBytes);
  head.writeUInt8(0xee);
  head.writeUIntBE(2 ** (7 * sizeBytes) + body, 1, sizeBytes);
  return Buffer.concat([head, Buffer.alloc(body, SECRET)]);
}

/** Lengths around those at which the header of the empty space may need a different number of bytes. */
const LENGTHS = [
  ...Array.from({ length: 299 }, (_none, index) => index + 2),
  ...Array.from({ length: 16 }, (_none, index) => 16_376 + index),
];

/** Elements that stay. They are placed between removed elements, which would otherwise be joined. */
const BETWEEN = { inFront: element('114d9b74'), inCluster: element('a7'), inTrack: element('88', number(1)) };
const AT_ONCE = 20;

test.each(['inFront', 'inCluster', 'inTrack'] as const)(
  'whatever length is removed from a Matroska (%s), other programs read everything that stays',
  async (place) => {
    for (let from = 0; from < LENGTHS.length; from += AT_ONCE) {
      const lengths = LENGTHS.slice(from, from + AT_ONCE);
      const before = file({ [place]: lengths.flatMap((length) => [BETWEEN[place], unknown(length)]) });
      const { bytes } = await clean(before, 'audio');
      expect([lengths, bytes.length, containsWords(bytes, 'home')]).toEqual([lengths, before.length, false]);
      expect([lengths, await soundPackets(bytes)]).toEqual([lengths, sound]);
    }
  },
);

test('neighbouring parts of any lengths become one empty space', async () => {
  for (const lengths of [
    [2, 2],
    [126, 2],
    [127, 2],
    [128, 2],
    [64, 65],
    [2, 3, 124],
    [129, 129],
    [8_000, 8_384],
  ]) {
    const { bytes } = await clean(file({ inFront: lengths.map(unknown) }), 'audio');
    expect([lengths, await soundPackets(bytes)]).toEqual([lengths, sound]);
  }
});

/** Elements that contain a number and stay, by the path of the elements that contain them, outermost first. */
const NUMBERS: readonly (readonly [keyof MatroskaOptions, path: string, ids: string])[] = [
  ['inHeader', '', '4286 42f7 42f2 42f3 4287 4285'],
  ['inFront', '114d9b74 4dbb', '53ab 53ac'],
  ['inFront', '1c53bb6b bb', 'b3'],
  ['inFront', '1c53bb6b bb b7', 'f7 f1 f0 b2 5378 ea'],
  ['inTrack', '', 'b9 88 55aa 9c 6de7 6df8 23e383 234e7a 55ee 56aa 56bb'],
  ['inTrack', 'e0', '9a 9d 53b8 53b9 53c0 b0 ba 54aa 54bb 54cc 54dd 54b0 54ba 54b2 54b3 2eb524 2383e3'],
  ['inTrack', 'e0 55b0', '55b1 55b2 55b3 55b4 55b5 55b6 55b7 55b8 55b9 55ba 55bb 55bc 55bd'],
  ['inTrack', 'e0 55b0 55d0', '55d1 55d2 55d3 55d4 55d5 55d6 55d7 55d8 55d9 55da'],
  ['inTrack', 'e0 7670', '7671 7673 7674 7675'],
  ['inAudio', '', '6264 52f1'],
  ['inCluster', '', 'a7 ab'],
];
/** Elements with names, words, addresses, digests and dates, which may occur in any other element. */
const WORDS =
  '4461 7ba9 73a4 3cb923 3eb923 536e 22b59c 22b59d 258688 26b240 3a9697 3b4040 7446 73a5 7670 7672 c1';

/** Wraps these elements in the elements of the path. */
function around(path: string, inside: readonly Buffer[]): readonly Buffer[] {
  return path
    .split(' ')
    .filter(Boolean)
    .reduceRight((parts, id) => [element(id, ...parts)], inside);
}

test.each(NUMBERS)(
  'numbers that are needed for playing stay in a Matroska (%s %s)',
  async (place, path, ids) => {
    const numbers = ids.split(' ').map((id) => element(id, number(1)));
    const before = file({ [place]: around(path, numbers) });
    const { bytes } = await clean(before, 'audio');
    expect(bytes.equals(before)).toBe(true);

    for (const id of ids.split(' ')) {
      const long = file({ [place]: around(path, [element(id, Buffer.alloc(9, 1))]) });
      await expect(clean(long, 'audio'), `element ${id}`).rejects.toMatchObject({
        problem: { kind: 'undecodable' },
      });
    }
  },
);

test.each(NUMBERS)('everything else is removed from the same part (%s %s)', async (place, path, ids) => {
  const kept = element(ids.split(' ').at(-1) ?? '', number(1));
  const words = WORDS.split(' ')
    .filter((id) => !(path === 'e0' && id === '7670'))
    .map((id) => element(id, Buffer.from(SECRET)));
  const empty = words.map(({ length }) =>
    Buffer.from([0xec, 0x80 + length - 2, ...Buffer.alloc(length - 2)]),
  );
  const built = (rows: readonly Buffer[]): Buffer =>
    file({
      [place]: around(
        path,
        rows.flatMap((row) => [kept, row]),
      ),
    });
  const { bytes } = await clean(built(words), 'audio');
  expect(bytes.equals(built(empty))).toBe(true);
});

test('the names of the programs that wrote a Matroska become zeros, and stay as elements', async () => {
  for (const id of ['4d80', '5741']) {
    const before = file({ inInfo: [element(id, Buffer.from(SECRET))] });
    const { bytes } = await clean(before, 'audio');
    expect(bytes.equals(file({ inInfo: [element(id, Buffer.alloc(SECRET.length))] }))).toBe(true);
  }
});
