import { z } from 'zod';
import type { Renderer } from '../renderer.ts';

/** Returns why clips cannot be read and written on this machine, or null if they can. */
export const checkCodec: Renderer<null, string | null> = {
  request: z.null(),

  async render(_request, tools) {
    try {
      await tools.codec();
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  },
};
