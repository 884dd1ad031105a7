import { z } from 'zod';
import type { Renderer } from '../renderer.ts';

/** Why clips cannot be read and written here, or null when they can. */
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
