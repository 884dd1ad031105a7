import { z } from 'zod';
import { parseUsd } from '../../base/money.ts';
import type { PhotoSwapEngine } from '../engine/photo-swap-engine.ts';
import type { JobCapability } from './capability.ts';

/** Photo Swap: billed per produced image. */
export function photoSwap(engine: PhotoSwapEngine | undefined): JobCapability<object> {
  return {
    feature: 'photo_swap',
    unit: 'image',
    initialRate: { rate: parseUsd('0.04'), minimum: parseUsd('0.04'), hold: parseUsd('0.06') },
    inputs: { image_key: 'image', face_key: 'image' },
    parameters: z.object({}),
    render:
      engine &&
      (async ({ input, outputPath }, signal) => {
        const request = { imagePath: input('image_key'), facePath: input('face_key'), outputPath };
        const { mime } = await engine.swapPhoto(request, signal);
        return { mime, units: 1 };
      }),
  };
}
