import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EmptySpace,
  type Patch,
  Patches,
  Pieces,
  hashFile,
  patchFile,
  rebuildFile,
} from '../../../src/bot/media/edit.ts';
import { MediaSource } from '../../../src/bot/media/media-source.ts';
import { useFolder } from '../../helpers/use-folder.ts';

const NEVER = new AbortController().signal;
const CHUNK = 256 * 1024;
const WINDOW = 128 * 1024;
/** Bytes without any repetition: no two ranges are alike. */
const WHOLE = Buffer.from(
  new Uint32Array(Array.from({ length: 180_000 }, (_none, at) => at * 2_654_435_761)).buffer,
);

async function useFile(bytes: Uint8Array = WHOLE): Promise<string> {
  const path = join(await useFolder(), 'file');
  await writeFile(path, bytes);
  return path;
}

/** Applies the patches to a copy of the bytes in a simple way, for comparison. */
function patched(bytes: Uint8Array, patches: readonly Patch[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const patch of patches) {
    if ('bytes' in patch) copy.set(patch.bytes, patch.at);
    else copy.fill(0, patch.at, patch.at + patch.zeros);
  }
  return copy;
}

const place = fc.oneof(
  fc.integer({ min: 0, max: 400 }),
  fc.integer({ min: CHUNK - 3, max: CHUNK + 3 }),
  fc.integer({ min: 2 * CHUNK - 3, max: 2 * CHUNK + 3 }),
  fc.integer({ min: 0, max: WHOLE.length }),
);

test('a file built from pieces contains exactly those, in their order', async () => {
  const path = await useFile();
  const piece = fc.oneof(
    fc.tuple(place, place).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) })),
    fc.uint8Array({ maxLength: 9 }).map((bytes) => ({ bytes })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (wanted) => {
      const pieces = new Pieces();
      for (const one of wanted) {
        if ('bytes' in one) pieces.add(one.bytes);
        else pieces.keep(one.from, one.to);
      }
      await rebuildFile({ fromPath: path, toPath: `${path}.new` }, pieces.all, NEVER);
      const expected = wanted.map((one) =>
        'bytes' in one ? Buffer.from(one.bytes) : WHOLE.subarray(one.from, one.to),
      );
      expect((await readFile(`${path}.new`)).equals(Buffer.concat(expected))).toBe(true);
    }),
    { numRuns: 25 },
  );
  expect((await stat(`${path}.new`)).mode & 0o777).toBe(0o600);
  await expect(
    rebuildFile({ fromPath: path, toPath: `${path}.new` }, [{ from: 0, to: WHOLE.length + 1 }], NEVER),
  ).rejects.toThrow('it became shorter');
});

test('neighbouring ranges become one piece, and others do not', () => {
  const pieces = new Pieces();
  pieces.keep(0, 10);
  pieces.keep(10, 20);
  pieces.keep(20, 20);
  pieces.keep(21, 30);
  pieces.add(Buffer.from('new'));
  pieces.keep(30, 40);
  pieces.keep(5, 9);
  expect(pieces.all).toEqual([
    { from: 0, to: 20 },
    { from: 21, to: 30 },
    { bytes: Buffer.from('new') },
    { from: 30, to: 40 },
    { from: 5, to: 9 },
  ]);
});

test('patching a file in place changes only the patched ranges', async () => {
  const change = fc.oneof(
    fc.tuple(place, fc.uint8Array({ maxLength: 9 })).map(([at, bytes]) => ({ at, bytes })),
    fc
      .tuple(place, fc.oneof(fc.nat(9), fc.constantFrom(CHUNK - 1, CHUNK, CHUNK + 1)))
      .map(([at, zeros]) => ({ at, zeros })),
  );
  const path = await useFile();
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 6 }), async (all) => {
      const wanted = all.filter(
        (one) => one.at + ('bytes' in one ? one.bytes.length : one.zeros) <= WHOLE.length,
      );
      await writeFile(path, WHOLE);
      const patches = new Patches();
      for (const one of wanted) {
        if ('bytes' in one) patches.write(one.at, one.bytes);
        else patches.zero(one.at, one.zeros);
      }
      await patchFile(path, patches.all, NEVER);
      expect((await readFile(path)).equals(patched(WHOLE, wanted))).toBe(true);
    }),
    { numRuns: 25 },
  );
});

test('neighbouring zeros become one patch, and an empty patch is dropped', () => {
  const patches = new Patches();
  patches.zero(0, 10);
  patches.zero(10, 5);
  patches.zero(16, 4);
  patches.write(20, Buffer.from('ab'));
  patches.write(22, Buffer.alloc(0));
  patches.zero(22, 1);
  patches.zero(40, 0);
  expect(patches.all).toEqual([
    { at: 0, zeros: 15 },
    { at: 16, zeros: 4 },
    { at: 20, bytes: Buffer.from('ab') },
    { at: 22, zeros: 1 },
  ]);
});

test('parts that become empty space are joined with neighbours of the same parent, in any order of discovery', () => {
  const parts: readonly (readonly [number, number, number])[] = [
    [10, 20, 1],
    [20, 30, 1],
    [30, 40, 2],
    [60, 70, 2],
    [50, 60, 2],
    [80, 90, 2],
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray([...parts], { minLength: parts.length }), (found) => {
      const space = new EmptySpace();
      for (const [from, to, parent] of found) space.add(from, to, parent);
      const patches = new Patches();
      space.patch(patches, (length) => Buffer.from([length]));
      expect(patched(Buffer.alloc(100, 7), patches.all)).toEqual(
        patched(Buffer.alloc(100, 7), [
          { at: 10, zeros: 30 },
          { at: 50, zeros: 20 },
          { at: 80, zeros: 10 },
          { at: 10, bytes: Buffer.from([20]) },
          { at: 30, bytes: Buffer.from([10]) },
          { at: 50, bytes: Buffer.from([20]) },
          { at: 80, bytes: Buffer.from([10]) },
        ]),
      );
    }),
  );
});

describe('too many places', () => {
  test.each([
    [
      'pieces',
      10_000,
      () => {
        const pieces = new Pieces();
        return (at: number) => pieces.keep(at * 2, at * 2 + 1);
      },
    ],
    [
      'new pieces',
      10_000,
      () => {
        const pieces = new Pieces();
        return () => pieces.add(Buffer.alloc(1));
      },
    ],
    [
      'patches',
      50_000,
      () => {
        const patches = new Patches();
        return (at: number) => patches.zero(at * 2, 1);
      },
    ],
    [
      'empty parts',
      50_000,
      () => {
        const space = new EmptySpace();
        return (at: number) => space.add(at * 2, at * 2 + 1, 0);
      },
    ],
  ] as const)('of %s are rejected: more than %i', (_what, most, make) => {
    const add = make();
    for (let at = 0; at < most; at++) add(at);
    expect(() => add(most)).toThrow('too many changes');
  });

  test('are not counted for neighbours that are joined', () => {
    const pieces = new Pieces();
    const patches = new Patches();
    const space = new EmptySpace();
    for (let at = 0; at < 60_000; at++) {
      pieces.keep(at, at + 1);
      patches.zero(at, 1);
      space.add(at, at + 1, 0);
    }
    expect([pieces.all, patches.all]).toEqual([[{ from: 0, to: 60_000 }], [{ at: 0, zeros: 60_000 }]]);
  });
});

test.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, WHOLE.length])(
  'the hash of a file of %i bytes covers all its bytes',
  async (length) => {
    const bytes = WHOLE.subarray(0, length);
    expect(await hashFile(await useFile(bytes), NEVER)).toBe(
      createHash('sha256').update(bytes).digest('hex'),
    );
  },
);

test('work ends when its signal aborts', async () => {
  const path = await useFile();
  const stop = AbortSignal.abort(new Error('No longer wanted'));
  await expect(hashFile(path, stop)).rejects.toThrow('No longer wanted');
  await expect(patchFile(path, [{ at: 0, zeros: 1 }], stop)).rejects.toThrow('No longer wanted');
  await expect(
    rebuildFile({ fromPath: path, toPath: `${path}.new` }, [{ from: 0, to: 1 }], stop),
  ).rejects.toThrow('No longer wanted');
  expect(await readFile(path)).toEqual(WHOLE);
});

describe('a file with random access', () => {
  const spot = fc.oneof(
    fc.integer({ min: 0, max: 300 }),
    fc.integer({ min: WINDOW - 3, max: WINDOW + 3 }),
    fc.integer({ min: WHOLE.length - 300, max: WHOLE.length + 300 }),
    fc.integer({ min: 0, max: WHOLE.length }),
  );
  const span = fc.oneof(
    fc.nat(64),
    fc.integer({ min: WINDOW - 2, max: WINDOW + 2 }),
    fc.constant(WHOLE.length + 9),
  );

  test('returns the stored bytes, in any order of reads', async () => {
    const path = await useFile();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(spot, span), { maxLength: 12 }), async (reads) => {
        await using source = await MediaSource.open(path);
        expect(source.sizeBytes).toBe(WHOLE.length);
        for (const [at, length] of reads) {
          const there = WHOLE.subarray(at, at + length);
          expect((await source.upTo(at, length)).equals(there)).toBe(true);
          const exact = source.bytes(at, length);
          if (there.length === length) expect((await exact).equals(there)).toBe(true);
          else await expect(exact).rejects.toMatchObject({ problem: { kind: 'undecodable' } });
        }
      }),
      { numRuns: 40 },
    );
  });

  test('returns copies, which a later read does not change', async () => {
    await using source = await MediaSource.open(await useFile());
    const first = await source.bytes(0, 4);
    await source.bytes(WHOLE.length - 4, 4);
    first.fill(0);
    expect(await source.bytes(0, 4)).toEqual(WHOLE.subarray(0, 4));
    expect(await source.tag(0)).toBe(WHOLE.toString('latin1', 0, 4));
    expect(await source.tag(1, 6)).toBe(WHOLE.toString('latin1', 1, 7));
  });

  test.each([
    [0, 100_000],
    [400, 100_100],
    [40_000_000, 5_000_000],
  ])('of %i bytes has at most %i parts', async (sizeBytes, most) => {
    const path = await useFile(Buffer.alloc(sizeBytes));
    await using source = await MediaSource.open(path);
    await source.spend(most - 1);
    await source.upTo(0, 0);
    await expect(source.spend(1)).rejects.toMatchObject({ problem: { kind: 'undecodable' } });
  });
});
