import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { asJpeg, clipFrames } from '../../media-server/engine/clip-frames.ts';
import { closeBrowser, hasBrowser, startBrowser } from './use-browser.ts';

/**
 * Gives all tests in a file a Chromium whose camera repeatedly shows the first `count` frames of a sample clip.
 */
export function useClipAsCamera(clip: string, count: number): void {
  let folder: string | undefined;
  beforeAll(async () => {
    if (!hasBrowser) return;
    folder = await mkdtemp(join(tmpdir(), 'masquerade-'));
    const path = join(folder, 'camera.mjpeg');
    await writeCamera(path, clip, count);
    await startBrowser([`--use-file-for-fake-video-capture=${path}`]);
  });
  afterAll(async () => {
    await closeBrowser();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });
}

/** Writes the first `count` frames of a sample clip as the file that Chromium uses as a camera. */
export async function writeCamera(path: string, clip: string, count: number): Promise<void> {
  const pictures = (await clipFrames(clip, count)).map(({ pixels }) => asJpeg(pixels));
  await writeFile(path, Buffer.concat(await Promise.all(pictures)));
}
