import { z } from 'zod';
import { parseUsd } from '../../base/money.ts';
import type { MotionTransferEngine } from '../engine/motion-transfer-engine.ts';
import type { JobCapability } from './capability.ts';

/** Motion Transfer: billed per second of the produced clip. */
export function motionTransfer(engine: MotionTransferEngine | undefined): JobCapability<object> {
  return {
    feature: 'motion_transfer',
    unit: 'second',
    initialRate: { rate: parseUsd('0.03'), minimum: parseUsd('0.05'), hold: parseUsd('0.50') },
    inputs: { image_key: 'image', motion_video_key: 'video' },
    parameters: z.object({}),
    render:
      engine &&
      (async ({ input, outputPath }, signal) => {
        const request = { imagePath: input('image_key'), motionPath: input('motion_video_key'), outputPath };
        const { mime, durationSeconds } = await engine.transferMotion(request, signal);
        return { mime, units: durationSeconds };
      }),
  };
}
