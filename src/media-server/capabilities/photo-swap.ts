import { z } from 'zod';
import { parseUsd } from '../../base/money.ts';
import type { PhotoSwapEngine } from '../engine/photo-swap.ts';
import type { JobCapability } from './capability.ts';

/** Photo Swap: one produced image is one unit. */
export function photoSwap(engine: PhotoSwapEngine): JobCapability<object> {
  return {
    feature: 'photo_swap',
    unit: 'image',
    initialRate: { rate: parseUsd('0.04'), minimum: parseUsd('0.04'), hold: parseUsd('0.06') },
    inputs: { image_key: 'image', face_key: 'image' },
    parameters: z.object({}),
    async render({ inputs, outputPath }, signal) {
      const { image_key: imagePath, face_key: facePath } = inputs;
      if (!imagePath || !facePath) throw new TypeError('Cannot render a photo swap: an input is missing');
      const image = await engine.swapPhoto({ imagePath, facePath, outputPath }, signal);
      return { mime: image.mime, units: 1 };
    },
  };
}
