import { z } from 'zod';
import type { Renderer } from '../renderer.ts';
import type { Face } from '../face/face.ts';
import { onGrey } from './on-grey.ts';

/** Finds all faces in a picture file, largest first. */
export const findFaces: Renderer<{ readonly path: string }, Face[]> = {
  request: z.object({ path: z.string() }),

  async render({ path }, { files, reader }) {
    const faces = await reader.find(onGrey(await files.decode(path, 'image')));
    return faces.sort((a, b) => b.box.width * b.box.height - a.box.width * a.box.height);
  },
};
