import { rename, rm } from 'node:fs/promises';
import sharp from 'sharp';
import { sniffFile } from '../../base/media-type.ts';
import { MediaError, damaged } from './media-error.ts';
import { checkHeader } from './check-picture.ts';

const MEGAPIXELS_MAX = 50;
/** The largest side of a saved face. Engines use far fewer pixels. */
const SIDE_PIXELS_MAX = 2_048;
const PREVIEW_PIXELS = 160;

/**
 * Converts the file at `fromPath` to a clean picture at `toPath`: upright, as JPEG, without metadata, with at most
 * 2,048 pixels per side. Returns its size in bytes. Throws `MediaError` if the file is not a usable picture.
 */
export async function cleanFace(fromPath: string, toPath: string): Promise<number> {
  const type = await sniffFile(fromPath);
  if (type?.kind !== 'image')
    throw new MediaError({ kind: 'wrong_type', expected: 'image' }, 'it is not an image');
  const problem = await checkHeader(fromPath, MEGAPIXELS_MAX);
  if (problem) throw new MediaError(problem, 'its picture cannot be used');
  const partPath = `${toPath}.part`;
  try {
    const { size } = await sharp(fromPath, { failOn: 'truncated', limitInputPixels: false })
      .rotate()
      .resize(SIDE_PIXELS_MAX, SIDE_PIXELS_MAX, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: 'white' })
      .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
      .toFile(partPath);
    await rename(partPath, toPath);
    return size;
  } catch (error) {
    await rm(partPath, { force: true });
    throw damaged(error instanceof Error ? error.message : 'it does not decode');
  }
}

/** Returns a small copy of a saved face. */
export function previewOf(path: string): Promise<Uint8Array> {
  return sharp(path)
    .resize(PREVIEW_PIXELS, PREVIEW_PIXELS, { fit: 'cover' })
    .jpeg({ quality: 80 })
    .toBuffer();
}
