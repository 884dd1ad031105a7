import { z } from 'zod';
import { parseUsd } from '../../base/money.ts';
import type { LipSyncEngine } from '../engine/lip-sync-engine.ts';
import type { ResolutionP } from '../engine/rendered.ts';
import type { JobCapability } from './capability.ts';
import { outputResolution } from './output-resolution.ts';

interface LipSyncParameters {
  readonly output_resolution_p?: ResolutionP | undefined;
}

/** Lip Sync: billed per second of the produced clip. */
export function lipSync(engine: LipSyncEngine | undefined): JobCapability<LipSyncParameters> {
  return {
    feature: 'lip_sync',
    unit: 'second',
    initialRate: { rate: parseUsd('0.02'), minimum: parseUsd('0.05'), hold: parseUsd('0.40') },
    inputs: { video_key: 'video', audio_key: 'audio' },
    parameters: z.object({ output_resolution_p: outputResolution }),
    render:
      engine &&
      (async ({ input, parameters, outputPath }, signal) => {
        const { mime, durationSeconds } = await engine.syncLips(
          {
            videoPath: input('video_key'),
            audioPath: input('audio_key'),
            resolutionP: parameters.output_resolution_p,
            outputPath,
          },
          signal,
        );
        return { mime, units: durationSeconds };
      }),
  };
}
