import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Renderer } from '../renderer.ts';
import type { Face } from '../face/face.ts';
import type { FaceReader } from '../face/face-reader.ts';
import type { PhotoSwapRequest } from '../photo-swap-engine.ts';
import type { Pixels } from '../pixels.ts';
import { RenderError } from '../render-error.ts';
import type { RenderedImage } from '../rendered.ts';
import { FaceSwapper } from '../swap/face-swapper.ts';
import { cutSourceFace } from '../swap/source-face.ts';
import { onGrey } from './on-grey.ts';

/**
 * The picture of a source face is shrunk so that its longer side has at most this many pixels, because it needs no more
 * detail.
 */
const FACE_PICTURE_SIZE_MAX = 2560;

const swapper = new FaceSwapper();

/** Puts the largest face of one picture on the largest face of the other. */
export const photoSwapRenderer: Renderer<PhotoSwapRequest, RenderedImage> = {
  request: z.object({ imagePath: z.string(), facePath: z.string(), outputPath: z.string() }),

  async render({ imagePath, facePath, outputPath }, { files, reader }, signal) {
    const decodedPerson = files.decode(facePath, 'face image', FACE_PICTURE_SIZE_MAX);
    const decodedBase = files.decode(imagePath, 'base image');
    // If the face image fails first, this promise is never awaited, and its own rejection must not count as unhandled.
    decodedBase.catch(() => undefined);
    const opaquePerson = onGrey(await decodedPerson);
    const face = await mainFace(reader, opaquePerson, 'face image');
    const base = await decodedBase;
    const target = await mainFace(reader, onGrey(base), 'base image');
    swapper.swap(base, target.landmarks, cutSourceFace(opaquePerson, face));
    const { bytes, ...rendered } = await files.encode(base, base);
    signal.throwIfAborted();
    try {
      await writeFile(outputPath, bytes, { mode: 0o600 });
    } catch (cause) {
      throw new RenderError('processing_failed', 'Cannot store the result', { cause });
    }
    return rendered;
  },
};

async function mainFace(reader: FaceReader, picture: Pixels, name: string): Promise<Face> {
  const face = await reader.findMain(picture);
  if (!face) throw new RenderError('face_not_detected', `Cannot find a face in the ${name}`);
  return face;
}
