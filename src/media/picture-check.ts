import { stat } from 'node:fs/promises';
import sharp from 'sharp';
import type { MediaProblem } from './media-error.ts';

/**
 * Whether a picture can be used: its whole content decodes and it has at most `megapixelsMax`. A larger one
 * is refused by its header alone. Throws when the file is not there any more: that says nothing about the picture.
 */
export async function checkPicture(path: string, megapixelsMax: number): Promise<MediaProblem | undefined> {
  const header = await readHeader(path);
  if (!header) return undecodable(path);
  const megapixels = (header.width * header.height) / 1_000_000;
  if (megapixels > megapixelsMax) {
    return { kind: 'too_many_pixels', megapixels: Math.round(megapixels), megapixelsMax };
  }
  try {
    await sharp(path, { failOn: 'truncated', limitInputPixels: megapixelsMax * 1_000_000 }).stats();
    return undefined;
  } catch {
    return undecodable(path);
  }
}

async function readHeader(path: string): Promise<{ width: number; height: number } | undefined> {
  try {
    const { width, height } = await sharp(path, { limitInputPixels: false }).metadata();
    return { width, height };
  } catch {
    return undefined;
  }
}

async function undecodable(path: string): Promise<MediaProblem> {
  await stat(path);
  return { kind: 'undecodable' };
}
