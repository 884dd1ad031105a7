import { stat } from 'node:fs/promises';
import sharp, { type Metadata } from 'sharp';
import type { MediaProblem } from './media-error.ts';

/**
 * The usual memory for a decoded pixel (four channels of 8 bits). Pictures that take more per pixel have a lower limit.
 */
const USUAL_PIXEL_BYTES = 4;
const SAMPLE_BYTES: Readonly<Record<string, number>> = { ushort: 2, short: 2, uint: 4, int: 4, float: 4 };

/**
 * Returns what is wrong with a picture, or `undefined` if it decodes completely and has at most `megapixelsMax`
 * megapixels. The limit is lower if a pixel takes more memory than usual. A picture above the limit is refused without
 * being decoded. Throws if the file no longer exists, because a missing file is not the picture's fault.
 */
export async function checkPicture(path: string, megapixelsMax: number): Promise<MediaProblem | undefined> {
  const header = await readHeader(path);
  if (!header) return undecodable(path);
  const problem = tooManyPixels(header, megapixelsMax);
  if (problem) return problem;
  try {
    // Reading the last line decodes the whole picture, without keeping or processing it.
    const lastLine = { left: 0, top: header.height - 1, width: 1, height: 1 };
    await sharp(path, { failOn: 'truncated', limitInputPixels: false, sequentialRead: true })
      .extract(lastLine)
      .raw()
      .toBuffer();
    return undefined;
  } catch {
    return undecodable(path);
  }
}

/** Returns the problem if, according to its header, the picture is too large to decode. */
export async function checkHeader(path: string, megapixelsMax: number): Promise<MediaProblem | undefined> {
  const header = await readHeader(path);
  return header ? tooManyPixels(header, megapixelsMax) : undecodable(path);
}

function tooManyPixels(header: Metadata, megapixelsMax: number): MediaProblem | undefined {
  const megapixels = (header.width * header.height) / 1_000_000;
  const pixelBytes = header.channels * (SAMPLE_BYTES[header.depth] ?? 1);
  const allowed = megapixelsMax * Math.min(1, USUAL_PIXEL_BYTES / pixelBytes);
  if (megapixels <= allowed) return undefined;
  return {
    kind: 'too_many_pixels',
    megapixels: Math.round(megapixels),
    megapixelsMax: Math.floor(allowed),
  };
}

async function readHeader(path: string): Promise<Metadata | undefined> {
  try {
    return await sharp(path, { limitInputPixels: false }).metadata();
  } catch {
    return undefined;
  }
}

async function undecodable(path: string): Promise<MediaProblem> {
  await stat(path);
  return { kind: 'undecodable' };
}
