import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { planClip } from '../../../../src/bot/media/fit/clip-plan.ts';
import { fitPicture } from '../../../../src/bot/media/fit/fit-picture.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

const SIDES = [1_440, 1_080, 720, 540, 480, 360];
const CLIP = { durationSeconds: 10, width: 1_920, height: 1_080, frameRate: 30, soundBitrate: 100_000 };

const facts = fc.record({
  durationSeconds: fc.double({ min: 0.1, max: 600, noNaN: true }),
  width: fc.integer({ min: 2, max: 4_000 }),
  height: fc.integer({ min: 2, max: 4_000 }),
  frameRate: fc.constantFrom(0, 10, 25, 60),
  soundBitrate: fc.constantFrom(0, 64_000, 320_000),
});

describe('the encoding plan of a clip', () => {
  test('fits with its sound, is never larger than the clip, and never looks worse than allowed', () => {
    fc.assert(
      fc.property(facts, fc.integer({ min: 1_000, max: 50_000_000 }), (clip, bytesMax) => {
        const plan = planClip(clip, bytesMax);
        const shorter = Math.min(clip.width, clip.height);
        const longer = Math.max(clip.width, clip.height);
        const bitrate = Math.floor((bytesMax * 8 * 0.93) / clip.durationSeconds - clip.soundBitrate);
        const own = shorter - (shorter % 2);
        const fits = [own, ...SIDES.filter((side) => side < own)].filter(
          (side) => bitrate >= side * ((longer / shorter) * side) * (clip.frameRate || 30) * 0.045,
        );
        expect(plan).toEqual(fits[0] === undefined ? undefined : { bitrate, shorterSide: fits[0] });
        if (!plan) return;
        const bytes = ((plan.bitrate + clip.soundBitrate) * clip.durationSeconds) / 8;
        expect(bytes).toBeLessThanOrEqual(bytesMax);
        expect(plan.shorterSide % 2).toBe(0);
        expect(plan.shorterSide).toBeLessThanOrEqual(shorter);
      }),
    );
  });

  test.each([
    [{ durationSeconds: 0 }],
    [{ durationSeconds: -1 }],
    [{ durationSeconds: Number.NaN }],
    [{ width: 0 }],
    [{ height: 0 }],
    [{ soundBitrate: 50_000_000 }],
  ])('does not exist for a clip of %j', (change) => {
    expect(planClip(CLIP, 50_000_000)).toBeDefined();
    expect(planClip({ ...CLIP, ...change }, 50_000_000)).toBeUndefined();
  });

  test('uses the whole available bit rate', () => {
    expect(planClip(CLIP, 10_000_000)).toEqual({ bitrate: 7_340_000, shorterSide: 1_080 });
    expect(planClip({ ...CLIP, width: 1_080, height: 1_921 }, 10_000_000)?.shorterSide).toBe(1_080);
    expect(planClip({ ...CLIP, frameRate: 0 }, 3_000_000)).toEqual(planClip(CLIP, 3_000_000));
  });
});

/** Draws noise, which cannot be compressed well. */
function drawn(width = 120, height = 80, alpha = false): Sharp {
  const noise = { type: 'gaussian', mean: 128, sigma: 50 } as const;
  const base = sharp({ create: { width, height, channels: 3, background: '#000', noise } });
  return alpha ? base.ensureAlpha(0.5) : base;
}

interface Given {
  readonly path: string;
  readonly toPath: string;
}

async function useGiven(bytes: Uint8Array): Promise<Given> {
  const path = join(await useFolder(), 'given');
  await writeFile(path, bytes);
  return { path, toPath: `${path}.small` };
}

/** How much each step loses: the JPEG or WebP quality, and the factor by which the sides are scaled. */
const STEPS = [
  [92, 1],
  [84, 1],
  [74, 1],
  [74, 0.75],
  [60, 0.75],
  [60, 0.5],
] as const;

test.each([
  ['a picture', false, 'image/jpeg'],
  ['a transparent picture', true, 'image/webp'],
] as const)(
  '%s is encoded with the first step at which it fits, and with none below the last',
  async (_what, alpha, mime) => {
    const png = await drawn(120, 80, alpha).png().toBuffer();
    const sizes: number[] = [];
    for (const [quality, scale] of STEPS) {
      const image = sharp(png).resize({ width: 120 * scale });
      sizes.push(
        (await (alpha ? image.webp({ quality }) : image.jpeg({ quality, mozjpeg: true })).toBuffer()).length,
      );
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    for (const [step, bytesMax] of sizes.entries()) {
      const file = await useGiven(png);
      expect(await fitPicture({ kind: 'image', ...file, bytesMax })).toEqual({ mime });
      const found = await sharp(await readFile(file.toPath)).metadata();
      expect({ step, size: (await stat(file.toPath)).size, width: found.width }).toEqual({
        step,
        size: bytesMax,
        width: 120 * (STEPS[step]?.[1] ?? 0),
      });
      expect(await readdir(dirname(file.path))).toHaveLength(2);
    }
    const file = await useGiven(png);
    expect(await fitPicture({ kind: 'image', ...file, bytesMax: (sizes.at(-1) ?? 0) - 1 })).toBeUndefined();
    expect(await readdir(dirname(file.path))).toEqual(['given']);
  },
);

test.each([1, 3, 6, 8])(
  'a picture with the orientation %i is upright at each size, and keeps its colours',
  async (orientation) => {
    const given = await drawn(120, 50)
      .withIccProfile('p3')
      .jpeg({ quality: 100 })
      .withMetadata({ orientation })
      .toBuffer();
    const upright = orientation >= 5 ? [50, 120] : [120, 50];
    for (const share of [0.9, 0.2]) {
      const file = await useGiven(given);
      await fitPicture({ kind: 'image', ...file, bytesMax: given.length * share });
      const found = await sharp(await readFile(file.toPath)).metadata();
      expect(found.width / found.height).toBeCloseTo((upright[0] ?? 0) / (upright[1] ?? 1), 1);
      if (share === 0.9) expect([found.width, found.height]).toEqual(upright);
      else expect([0.75, 0.5].map((scale) => Math.round((upright[0] ?? 0) * scale))).toContain(found.width);
      expect([found.orientation ?? 1, found.icc === undefined]).toEqual([1, false]);
    }
  },
);

test('an animation keeps all its frames, smaller', async () => {
  const frames = await drawn(60, 120).raw().toBuffer();
  const raw = { width: 60, height: 120, channels: 3, pageHeight: 60 } as const;
  const gif = await sharp(frames, { raw })
    .gif({ delay: [100, 300], loop: 2 })
    .toBuffer();
  const file = await useGiven(gif);

  expect(await fitPicture({ kind: 'image', ...file, bytesMax: 2_000 })).toEqual({ mime: 'image/webp' });

  const found = await sharp(await readFile(file.toPath), { animated: true }).metadata();
  expect(found).toMatchObject({ pages: 2, delay: [100, 300], loop: 2 });
  expect(found.width).toBeLessThan(60);
  expect(found.pageHeight).toBe(found.width);
});

test('a file that is not a picture stays, and no other file is left', async () => {
  const file = await useGiven(Buffer.from('only words'));
  await expect(fitPicture({ kind: 'image', ...file, bytesMax: 10_000 })).rejects.toThrow();
  expect(await readdir(dirname(file.path))).toEqual(['given']);
});
