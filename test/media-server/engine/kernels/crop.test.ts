import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleCrop } from '../../../../src/media-server/engine/face/sample-crop.ts';
import { croppedValue } from './reference.ts';
import { seededRandom } from '../seeded-random.ts';
import { apart, randomPixels } from './random-pictures.ts';

describe('a crop', () => {
  test('has the values of the samples under it, split or not, inside and outside the picture', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), (seed) => {
        const random = seededRandom(seed);
        const picture = randomPixels(20 + Math.floor(60 * random()), 20 + Math.floor(60 * random()), random);
        const size = 8;
        const crop = {
          centreX: picture.width * random(),
          centreY: picture.height * random(),
          size: 5 + 90 * random(),
          angle: 6 * random() - 3,
        };
        const range = { scale: 1 / 127.5, offset: -1, outside: 127 };
        const out = new Float32Array(size * size * 3);
        sampleCrop(picture, crop, size, out, range);
        const told = Array.from(out, (_none, n) => croppedValue(picture, crop, size, range, n));
        expect(apart(Array.from(out), told)).toBeLessThan(1e-5);
      }),
    );
  });

  test('of a picture too large to copy at once is assembled from parts', () => {
    const picture = randomPixels(2_400, 1_800, seededRandom(7));
    const crop = { centreX: 1_200, centreY: 900, size: 2_500, angle: 0.6 };
    const range = { scale: 1, offset: 0, outside: 0 };
    const out = new Float32Array(16 * 16 * 3);
    sampleCrop(picture, crop, 16, out, range);
    const told = Array.from(out, (_none, n) => croppedValue(picture, crop, 16, range, n));
    expect(apart(Array.from(out), told)).toBeLessThan(1e-3);
  });
});
