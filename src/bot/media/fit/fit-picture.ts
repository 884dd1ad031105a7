import { rename, rm, stat } from 'node:fs/promises';
import sharp from 'sharp';
import type { FitTask, Fitted } from './fit-task.ts';

interface Loss {
  readonly quality: number;
  readonly scale: number;
}

/**
 * The settings to try, in order of loss. Below quality 60 of 100, or below half the width, members would notice the
 * loss immediately; a link to the original picture serves them better.
 */
const LADDER: readonly Loss[] = [
  { quality: 92, scale: 1 },
  { quality: 84, scale: 1 },
  { quality: 74, scale: 1 },
  { quality: 74, scale: 0.75 },
  { quality: 60, scale: 0.75 },
  { quality: 60, scale: 0.5 },
];
const STEP_SECONDS_MAX = 60;

/**
 * Encodes a picture with no more loss than needed: as JPEG, or as WebP if it is transparent or animated. Returns
 * `undefined` if it would only fit with an unacceptable loss. It must run in its own process.
 */
export async function fitPicture(task: FitTask): Promise<Fitted | undefined> {
  const { hasAlpha, pages = 1, ...header } = await sharp(task.path, { limitInputPixels: false }).metadata();
  const asWebp = hasAlpha || pages > 1;
  const width = header.autoOrient.width;
  const part = `${task.toPath}.part`;
  try {
    for (const { quality, scale } of LADDER) {
      const picture = sharp(task.path, { animated: pages > 1 })
        .autoOrient()
        .timeout({ seconds: STEP_SECONDS_MAX })
        .keepIccProfile();
      if (scale < 1) picture.resize({ width: Math.max(1, Math.round(width * scale)) });
      const encoded = asWebp ? picture.webp({ quality }) : picture.jpeg({ quality, mozjpeg: true });
      await encoded.toFile(part);
      if ((await stat(part)).size > task.bytesMax) continue;
      await rename(part, task.toPath);
      return { mime: asWebp ? 'image/webp' : 'image/jpeg' };
    }
    return undefined;
  } finally {
    await rm(part, { force: true });
  }
}
