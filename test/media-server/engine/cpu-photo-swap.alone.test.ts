import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CpuEngines, createCpuEngines } from '../../../src/media-server/engine/cpu/cpu-engines.ts';
import { type FaceFinder, createFaceFinder } from '../../../src/media-server/engine/cpu/face-finder.ts';
import type { PhotoSwapEngine } from '../../../src/media-server/engine/photo-swap-engine.ts';
import type { RenderedImage } from '../../../src/media-server/engine/rendered.ts';
import { checkSwap, psnrOutside } from '../../../src/media-server/engine/cpu/swap-check.ts';
import { noAbort, readPixels, sample } from './use-engine.ts';
import { useFolder } from '../../helpers/use-folder.ts';

const ELDERLY = sample('portrait-man-elderly.jpg');
const BROWN_HAIR = sample('portrait-woman-brown-hair.jpg');
const SHORT_HAIR_PNG = sample('portrait-man-short-hair.png');

let engines: CpuEngines;
let finder: FaceFinder;
beforeAll(async () => {
  [engines, finder] = await Promise.all([createCpuEngines({ workers: 1 }), createFaceFinder()]);
});
afterAll(() => Promise.all([engines[Symbol.asyncDispose](), finder[Symbol.asyncDispose]()]));

test('the engines report how many renders they run at the same time', () => {
  expect(engines.rendersAtOnce).toBe(1);
});

function photoSwap(): PhotoSwapEngine {
  if (!engines.photoSwap) throw new Error('There is no engine');
  return engines.photoSwap;
}

async function swap(base: string, person: string): Promise<RenderedImage & { path: string }> {
  const path = join(await useFolder(), 'result');
  return {
    path,
    ...(await photoSwap().swapPhoto({ imagePath: base, facePath: person, outputPath: path }, noAbort())),
  };
}

describe('a photo swap', () => {
  test.for([
    ['portrait-man-elderly.jpg', 'portrait-woman-brown-hair.jpg'],
    ['portrait-man-short-hair.png', 'portrait-woman-three-quarter.jpg'],
    ['portrait-woman-three-quarter.jpg', 'portrait-man-dark-hair.jpg'],
    ['portrait-woman-curly-hair.jpg', 'portrait-man-elderly.jpg'],
    ['group-two-faces.jpg', 'portrait-woman-curly-hair.jpg'],
  ] as const)('gives %s the face of %s and leaves the rest unchanged', async ([baseName, personName]) => {
    const [base, person] = [sample(baseName), sample(personName)];
    const { path } = await swap(base, person);
    const check = await checkSwap({ base, person, result: path }, finder);
    expect(check.facesInPlace).toBe(1);
    expect(check.faceChange).toBeGreaterThan(3);
    expect(check.psnrOutsideDb).toBeGreaterThan(35);
    expect(check.likenessToPerson).toBeGreaterThan(check.likenessToBase);
    expect(check.likenessToPerson).toBeGreaterThan(0.7);
  });

  test('keeps the second person of a group untouched', async () => {
    const base = sample('group-two-faces.jpg');
    const faces = await finder.find(base);
    const { path } = await swap(base, ELDERLY);
    const [before, after] = await Promise.all([readPixels(base), readPixels(path)]);
    const [withoutLargest = 0, withoutOther = 0] = faces.map((face) => psnrOutside(before, after, face.box));
    expect(faces.map((face) => face.box.x < 512)).toEqual([true, false]);
    expect(withoutLargest).toBeGreaterThan(40);
    expect(withoutOther).toBeLessThan(38);
  });

  test('returns a PNG for a PNG, identical to the last bit outside the face', async () => {
    const rendered = await swap(SHORT_HAIR_PNG, ELDERLY);
    expect(rendered).toMatchObject({ width: 512, height: 512, mime: 'image/png' });
    const [face] = await finder.find(SHORT_HAIR_PNG);
    const [before, after] = await Promise.all([readPixels(SHORT_HAIR_PNG), readPixels(rendered.path)]);
    expect(face).toBeDefined();
    if (face) expect(psnrOutside(before, after, face.box)).toBe(Infinity);
  });

  test('takes less than 20 ms of the calling thread in all, so that it cannot block longer', async () => {
    await swap(ELDERLY, BROWN_HAIR);
    const before = process.threadCpuUsage();
    await swap(ELDERLY, BROWN_HAIR);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(20);
  });
});

describe('inputs of other kinds', () => {
  async function variant(name: string, make: (image: Sharp) => Sharp): Promise<string> {
    const path = join(await useFolder(), name);
    await make(sharp(ELDERLY)).toFile(path);
    return path;
  }

  test('rotates a picture by its EXIF orientation and drops its metadata', async () => {
    const base = await variant('turned.jpg', (image) =>
      image
        .rotate(-90)
        .withExif({ IFD0: { Orientation: '6' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
        .withMetadata({ orientation: 6 }),
    );
    expect((await sharp(base).metadata()).orientation).toBe(6);
    const { path } = await swap(base, BROWN_HAIR);
    const metadata = await sharp(path).metadata();
    expect([metadata.orientation, metadata.exif]).toEqual([undefined, undefined]);
    expect((await checkSwap({ base, person: BROWN_HAIR, result: path }, finder)).facesInPlace).toBe(1);
    const [upright] = await finder.find(ELDERLY);
    const [face] = await finder.find(path);
    expect(Math.abs((face?.box.x ?? 0) - (upright?.box.x ?? 0))).toBeLessThan(20);
  });

  test('keeps the transparency of a PNG', async () => {
    const base = await variant('cut-out.png', (image) =>
      image.composite([
        {
          input: Buffer.from('<svg width="768" height="768"><circle cx="384" cy="384" r="330"/></svg>'),
          blend: 'dest-in',
        },
      ]),
    );
    const { path, mime } = await swap(base, BROWN_HAIR);
    const [before, after] = await Promise.all([readPixels(base), readPixels(path)]);
    expect(mime).toBe('image/png');
    expect(alphaOf(after)).toEqual(alphaOf(before));
    expect((await finder.find(path)).length).toBe(1);
  });

  test.for([
    ['the four colours of print', 'print.jpg', (image: Sharp) => image.toColourspace('cmyk').jpeg()],
    ['16 bits', 'deep.png', (image: Sharp) => image.toColourspace('rgb16').png()],
    ['greys', 'grey.png', (image: Sharp) => image.greyscale().toColourspace('b-w').png()],
    ['WebP', 'image.webp', (image: Sharp) => image.webp()],
    [
      'an odd height',
      'odd.jpg',
      (image: Sharp) => image.extract({ left: 0, top: 0, width: 767, height: 683 }),
    ],
  ] as const)('reads a base with %s', async ([_kind, name, make]) => {
    const base = await variant(name, make);
    const { path } = await swap(base, BROWN_HAIR);
    const check = await checkSwap({ base, person: BROWN_HAIR, result: path }, finder);
    expect(await sharp(path).metadata()).toMatchObject({ space: 'srgb', depth: 'uchar', channels: 3 });
    expect(check).toMatchObject({ facesInPlace: 1 });
    expect(check.psnrOutsideDb).toBeGreaterThan(35);
    expect(check.likenessToPerson).toBeGreaterThan(check.likenessToBase);
  });
});

describe('a swap that is impossible', () => {
  async function make(name: string, folder: string): Promise<string> {
    const path = join(folder, name);
    if (name === 'empty.jpg') await writeFile(path, '');
    else if (name === 'drawing.png')
      await writeFile(path, '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    else if (name === 'cut.png') await writeFile(path, (await readFile(SHORT_HAIR_PNG)).subarray(0, 90_000));
    else if (name === 'huge.png') {
      const create = { width: 10_000, height: 8_000, channels: 3, background: '#789' } as const;
      await sharp({ create, limitInputPixels: false }).png({ compressionLevel: 1 }).toFile(path);
    } else return sample(name);
    return path;
  }

  test.for([
    ['bad-image-truncated.jpg', 'unsupported_format'],
    ['bad-text-named.png', 'unsupported_format'],
    ['empty.jpg', 'unsupported_format'],
    ['drawing.png', 'unsupported_format'],
    ['cut.png', 'unsupported_format'],
    ['huge.png', 'input_too_large'],
    ['no-face-landscape.jpg', 'face_not_detected'],
  ] as const)('ends for %s with %s, names the picture and leaves no file', async ([name, code]) => {
    const folder = await useFolder();
    const [bad, outputPath] = [await make(name, folder), join(folder, 'out.jpg')];
    const asBase = photoSwap().swapPhoto({ imagePath: bad, facePath: ELDERLY, outputPath }, noAbort());
    await expect(asBase).rejects.toMatchObject({ code, message: expect.stringContaining('base image') });
    const asFace = photoSwap().swapPhoto({ imagePath: ELDERLY, facePath: bad, outputPath }, noAbort());
    await expect(asFace).rejects.toMatchObject({ code, message: expect.stringContaining('face image') });
    await expect(access(outputPath)).rejects.toThrow('ENOENT');
  });

  test('ends with processing_failed when the result cannot be stored', async () => {
    const outputPath = join(await useFolder(), 'missing', 'out.jpg');
    const swapping = photoSwap().swapPhoto(
      { imagePath: ELDERLY, facePath: BROWN_HAIR, outputPath },
      noAbort(),
    );
    await expect(swapping).rejects.toMatchObject({ code: 'processing_failed' });
  });

  test('ends at once with the reason of an abort and writes nothing', async () => {
    const outputPath = join(await useFolder(), 'out.jpg');
    const controller = new AbortController();
    const request = { imagePath: ELDERLY, facePath: BROWN_HAIR, outputPath };
    const early = photoSwap().swapPhoto(request, controller.signal);
    const waiting = photoSwap().swapPhoto(request, controller.signal);
    controller.abort(new Error('Changed my mind'));
    const late = photoSwap().swapPhoto(request, controller.signal);
    for (const outcome of await Promise.allSettled([early, waiting, late])) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: controller.signal.reason });
    }
    await swap(ELDERLY, BROWN_HAIR);
    await expect(access(outputPath)).rejects.toThrow('ENOENT');
  });
});

function alphaOf({ data }: { data: Uint8Array }): Uint8Array {
  return data.filter((_value, at) => at % 4 === 3);
}
