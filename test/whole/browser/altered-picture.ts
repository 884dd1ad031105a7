import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect } from 'vitest';
import type { Pixels } from '../../../src/media-server/engine/pixels.ts';

/** Captures what a page's canvas currently shows. */
export async function alteredPicture(page: Page): Promise<Pixels> {
  const url = await page.evaluate<string>('document.querySelector("canvas").toDataURL("image/png")');
  const png = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

/** Waits until the page shows an altered picture. */
export async function untilShown(page: Page): Promise<void> {
  // Matches only the start of a text, because the consent text also mentions AI-altered media.
  await page.getByText(/^AI-altered media: /).waitFor({ state: 'attached' });
  const alpha = 'document.querySelector("canvas").getContext("2d").getImageData(150, 100, 1, 1).data[3]';
  await expect.poll(() => page.evaluate(alpha)).toBeGreaterThan(0);
}

/**
 * Returns whether the label is in the lower left corner of the picture, which is 16:9 and centred on the canvas: white
 * letters on a dark background. Without the label, that corner has no white.
 */
export function hasLabel({ width, height, data }: Pixels): boolean {
  const tall = Math.min(height, (width * 9) / 16);
  const bottom = Math.round((height + tall) / 2);
  let [white, dark, count] = [0, 0, 0];
  for (let y = Math.round(bottom - tall * 0.07); y < bottom - tall * 0.04; y++) {
    for (let x = Math.round(tall * 0.06); x < tall * 0.35; x++, count++) {
      const at = (y * width + x) * 4;
      const value = Math.min(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
      if (value > 220) white++;
      if (value < 90) dark++;
    }
  }
  assert(count > 100, 'The picture is too small to be checked');
  return white > 0.1 * count && dark > 0.3 * count;
}

/** Returns whether a picture has no colour at all. */
export function isAllGrey({ data }: Pixels): boolean {
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > 24) return false;
  }
  return true;
}
