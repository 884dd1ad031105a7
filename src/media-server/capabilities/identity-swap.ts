import { z } from 'zod';
import { parseUsd } from '../../base/money.ts';
import type { IdentitySwapEngine } from '../engine/identity-swap-engine.ts';
import type { JobCapability } from './capability.ts';

interface IdentitySwapParameters {
  readonly resolution: '1k' | '2k';
}

/** Identity Swap: billed per second of the produced clip. */
export function identitySwap(engine: IdentitySwapEngine | undefined): JobCapability<IdentitySwapParameters> {
  return {
    feature: 'identity_swap',
    unit: 'second',
    initialRate: { rate: parseUsd('0.05'), minimum: parseUsd('0.10'), hold: parseUsd('0.80') },
    inputs: { video_key: 'video', character_key: 'image' },
    parameters: z.object({ resolution: z.enum(['1k', '2k'], { error: 'Must be 1k or 2k' }).default('1k') }),
    render:
      engine &&
      (async ({ input, parameters, outputPath }, signal) => {
        const { mime, durationSeconds } = await engine.swapIdentity(
          {
            videoPath: input('video_key'),
            characterPath: input('character_key'),
            resolution: parameters.resolution,
            outputPath,
          },
          signal,
        );
        return { mime, units: durationSeconds };
      }),
  };
}
