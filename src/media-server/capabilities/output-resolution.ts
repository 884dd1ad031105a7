import { z } from 'zod';
import type { ResolutionP } from '../engine/rendered.ts';

/** Parses `output_resolution_p`: 480, 720 or 1080. */
export const outputResolution: z.ZodType<ResolutionP | undefined> = z
  .union([z.literal(480), z.literal(720), z.literal(1080)], { error: 'Must be 480, 720 or 1080' })
  .optional();
