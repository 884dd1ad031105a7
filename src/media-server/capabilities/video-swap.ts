import { z } from 'zod';
import { parseUsd } from '../../base/money.ts';
import type { VideoSwapEngine } from '../engine/video-swap-engine.ts';
import type { ResolutionP } from '../engine/rendered.ts';
import type { JobCapability } from './capability.ts';
import { outputResolution } from './output-resolution.ts';

interface VideoSwapParameters {
  readonly output_resolution_p?: ResolutionP | undefined;
}

/** Video Swap: billed per second of the produced clip. */
export function videoSwap(engine: VideoSwapEngine | undefined): JobCapability<VideoSwapParameters> {
  return {
    feature: 'video_swap',
    unit: 'second',
    initialRate: { rate: parseUsd('0.02'), minimum: parseUsd('0.05'), hold: parseUsd('0.40') },
    inputs: { video_key: 'video', face_key: 'image' },
    parameters: z.object({ output_resolution_p: outputResolution }),
    render:
      engine &&
      (async ({ input, parameters, outputPath }, signal) => {
        const { mime, durationSeconds } = await engine.swapVideo(
          {
            videoPath: input('video_key'),
            facePath: input('face_key'),
            resolutionP: parameters.output_resolution_p,
            outputPath,
          },
          signal,
        );
        return { mime, units: durationSeconds };
      }),
  };
}
