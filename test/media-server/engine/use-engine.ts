import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { Pixels } from '../../../src/media-server/engine/pixels.ts';

const SAMPLES = fileURLToPath(new URL('../../samples/', import.meta.url));

/** Returns the path of a sample picture. */
export function sample(name: string): string {
  return join(SAMPLES, name);
}

/** Returns a signal that never aborts. */
export function noAbort(): AbortSignal {
  return new AbortController().signal;
}

/** Returns the file's pixels as they are stored, RGBA. */
export async function readPixels(path: string): Promise<Pixels> {
  const { data, info } = await sharp(path).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}
