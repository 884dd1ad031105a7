import { access } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCpuPhotoSwapEngine } from '../../src/media-server/engine/cpu-photo-swap.ts';
import type { PhotoSwapEngine } from '../../src/media-server/engine/photo-swap.ts';
import { noAbort, sample, useFolder } from './use-engine.ts';

let engine: PhotoSwapEngine;
beforeAll(async () => {
  engine = await createCpuPhotoSwapEngine({ workers: 1 });
});
afterAll(() => engine[Symbol.asyncDispose]());

describe('a photo swap', () => {
  test('writes a JPEG of the base picture’s size', async () => {
    const outputPath = join(await useFolder(), 'out.jpg');
    const request = {
      imagePath: sample('portrait-man-elderly.jpg'),
      facePath: sample('portrait-woman-brown-hair.jpg'),
    };
    const rendered = await engine.swapPhoto({ ...request, outputPath }, noAbort());
    expect(rendered).toEqual({ width: 768, height: 768, mime: 'image/jpeg' });
    expect(await sharp(outputPath).metadata()).toMatchObject({ format: 'jpeg', width: 768, height: 768 });
  });

  test.for([
    ['bad-image-truncated.jpg', 'unsupported_format'],
    ['bad-text-named.png', 'unsupported_format'],
    ['no-face-landscape.jpg', 'face_not_detected'],
  ])('fails on %s with %s, names the picture and leaves no file', async ([name = '', code]) => {
    const outputPath = join(await useFolder(), 'out.jpg');
    const good = sample('portrait-man-elderly.jpg');
    const asBase = engine.swapPhoto({ imagePath: sample(name), facePath: good, outputPath }, noAbort());
    await expect(asBase).rejects.toMatchObject({ code, message: expect.stringContaining('base image') });
    const asFace = engine.swapPhoto({ imagePath: good, facePath: sample(name), outputPath }, noAbort());
    await expect(asFace).rejects.toMatchObject({ code, message: expect.stringContaining('face image') });
    await expect(access(outputPath)).rejects.toThrow('ENOENT');
  });
});
