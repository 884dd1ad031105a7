import { rename, rm } from 'node:fs/promises';
import sharp from 'sharp';
import { sniffFile } from '../base/media-type.ts';
import { MemberError } from './member-error.ts';

const MEGAPIXELS_MAX = 50;
/** Enough for a face; engines work on far less. */
const SIDE_PIXELS_MAX = 2_048;
const PREVIEW_PIXELS = 160;

/**
 * Makes the file at `fromPath` a clean picture at `toPath`: upright, in JPEG, without any metadata, at most 2,048
 * pixels a side; returns its size in bytes. The original is gone afterwards. Throws `MemberError`.
 */
export async function cleanFace(fromPath: string, toPath: string): Promise<number> {
  const partPath = `${toPath}.part`;
  try {
    const type = await sniffFile(fromPath);
    if (type?.kind !== 'image')
      throw unusable('The file is not a picture. Save a JPEG, PNG or WebP picture.');
    const { size } = await sharp(fromPath, {
      failOn: 'truncated',
      limitInputPixels: MEGAPIXELS_MAX * 1_000_000,
    })
      .rotate()
      .resize(SIDE_PIXELS_MAX, SIDE_PIXELS_MAX, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: 'white' })
      .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
      .toFile(partPath);
    await rename(partPath, toPath);
    return size;
  } catch (error) {
    if (error instanceof MemberError) throw error;
    throw unusable(
      `The picture is damaged, or has more than ${MEGAPIXELS_MAX} megapixels. Save it again, smaller, and send the command once more.`,
      error,
    );
  } finally {
    await rm(fromPath, { force: true });
    await rm(partPath, { force: true });
  }
}

/** A small copy of a saved face. */
export function previewOf(path: string): Promise<Uint8Array> {
  return sharp(path)
    .resize(PREVIEW_PIXELS, PREVIEW_PIXELS, { fit: 'cover' })
    .jpeg({ quality: 80 })
    .toBuffer();
}

function unusable(userMessage: string, cause?: unknown): MemberError {
  return new MemberError('unusable_picture', userMessage, cause);
}
