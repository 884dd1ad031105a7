import type { RenderTools } from '../renderer.ts';
import { largestFace } from '../face/face.ts';
import { onGrey } from '../photo/on-grey.ts';
import type { Pixels } from '../pixels.ts';
import { RenderError } from '../render-error.ts';
import { PortraitRig } from './portrait-rig.ts';

/** Pictures are not decoded at a larger size, because no clip made from a portrait is larger. */
const PICTURE_SIZE_MAX = 2560;

/** Width and height in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A portrait at the size of its clip, ready for animation. */
interface Portrait {
  readonly rig: PortraitRig;
  readonly size: Size;
}

/**
 * Reads the picture at `path`, scales it to the size that `sizeOf` returns for its original size, and rigs the largest
 * face in it. Throws `RenderError`: `face_not_detected`, or the errors of `PictureFiles.decode`.
 */
export async function loadPortrait(
  path: string,
  sizeOf: (own: Size) => Size,
  { files, reader }: RenderTools,
): Promise<Portrait> {
  const picture = onGrey(await files.decode(path, 'image', PICTURE_SIZE_MAX));
  const { width, height } = sizeOf(picture);
  const scaled: Pixels = await files.resize(picture, width, height);
  const face = largestFace(await reader.find(scaled));
  if (!face) throw new RenderError('face_not_detected', 'Cannot find a face in the image');
  return { rig: new PortraitRig(scaled, face.landmarks), size: { width, height } };
}

/** Returns `own` scaled and rounded to even numbers, which clips require. */
export function evenSize(own: Size, scale: number): Size {
  const even = (side: number): number => Math.max(2, 2 * Math.round((side * scale) / 2));
  return { width: even(own.width), height: even(own.height) };
}
