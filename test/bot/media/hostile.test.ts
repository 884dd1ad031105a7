import { join } from 'node:path';
import { checkPicture } from '../../../src/bot/media/check-picture.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { expect, test } from 'vitest';
import type { MediaKind } from '../../../src/base/media-type.ts';
import { MediaError } from '../../../src/bot/media/media-error.ts';
import { CLIPS, SOUNDS, type TaggedFormat, taggedMedia } from './tagged-media.ts';
import { clean, containsWords } from './use-media.ts';

const ALL: readonly (readonly [TaggedFormat, MediaKind])[] = [
  ...SOUNDS.map((name) => [name, 'audio'] as const),
  ...CLIPS.map((name) => [name, 'video'] as const),
];

const WRITERS: Readonly<Record<string, (image: Sharp) => Sharp>> = {
  jpeg: (image) => image.jpeg(),
  'progressive jpeg': (image) => image.jpeg({ progressive: true }),
  png: (image) => image.png(),
  webp: (image) => image.webp(),
  gif: (image) => image.gif(),
};

/** Returns whether the file was admitted. A refusal must have a reason that can be explained. */
async function outcome(bytes: Uint8Array, kind: MediaKind): Promise<'admitted' | 'refused'> {
  try {
    const { bytes: after } = await clean(bytes, kind);
    expect(after.length).toBeLessThanOrEqual(bytes.length);
    return 'admitted';
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    return 'refused';
  }
}

test.each(ALL)('a %s truncated anywhere is admitted clean or refused, never a fault', async (name, kind) => {
  const whole = Buffer.from(await taggedMedia(name));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: whole.length }), async (length) => {
      await outcome(whole.subarray(0, length), kind);
    }),
    { numRuns: 25 },
  );
});

test.each(ALL)('a %s with damaged bytes is admitted or refused, never a fault', async (name, kind) => {
  const whole = Buffer.from(await taggedMedia(name));
  const damage = fc.array(
    fc.record({
      // Most structures that can be damaged are at the start or the end of a file.
      at: fc.oneof(
        fc.integer({ min: 0, max: 1_500 }),
        fc.integer({ min: whole.length - 3_000, max: whole.length - 1 }),
        fc.integer({ min: 0, max: whole.length - 1 }),
      ),
      byte: fc.constantFrom(0, 1, 0x7f, 0x80, 0xff),
    }),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(damage, async (places) => {
      const bytes = Buffer.from(whole);
      for (const { at, byte } of places) bytes[at] = byte;
      await outcome(bytes, kind);
    }),
    { numRuns: 40 },
  );
});

test.each(ALL)('a complete %s is admitted and reveals nothing', async (name, kind) => {
  const { bytes } = await clean(await taggedMedia(name), kind);
  expect(containsWords(bytes)).toBe(false);
});

test.each(Object.entries(WRITERS))(
  'a %s truncated or damaged anywhere is admitted or refused, never a fault',
  async (_name, write) => {
    const drawn = sharp({ create: { width: 40, height: 30, channels: 3, background: '#a40' } });
    const whole = await write(drawn.withExif({ IFD0: { Artist: 'A' } })).toBuffer();
    const change = fc.record({
      length: fc.oneof(fc.constant(whole.length), fc.integer({ min: 1, max: whole.length })),
      at: fc.integer({ min: 0, max: whole.length - 1 }),
      byte: fc.constantFrom(0, 1, 0x7f, 0x80, 0xd8, 0xff),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ length, at, byte }) => {
        const bytes = Buffer.from(whole);
        bytes[at] = byte;
        await outcome(bytes.subarray(0, length), 'image');
      }),
      { numRuns: 25 },
    );
    // Cut the file within its first bytes, where its parts are short.
    for (let length = 1; length < 120; length += 3) await outcome(whole.subarray(0, length), 'image');
  },
);

test('a missing picture is not reported as a damaged one', async () => {
  const path = join(await useFolder(), 'swept.jpg');
  await expect(checkPicture(path, 50)).rejects.toMatchObject({ code: 'ENOENT' });
});
