import { z } from 'zod';
import type { ResolutionP } from '../engine/rendered.ts';

/** `output_resolution_p`: an integer, and one of three. */
export const outputResolution: z.ZodType<ResolutionP | undefined> = z
  .union([z.literal(480), z.literal(720), z.literal(1080)], { error: 'Wants 480, 720 or 1080' })
  .optional();
