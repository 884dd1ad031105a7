/**
 * `npm run screenshots`: takes the README's pictures again, all of the real program, and writes them to
 * `docs/pictures/`.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { writeCamera } from '../browser/fake-camera.ts';
import { closeBrowser, startBrowser } from '../browser/use-browser.ts';
import { chatScene } from './chat-scene.ts';
import { FilmClub } from './film-club.ts';
import { playFirstHalf } from './first-half.ts';
import { CAMERA, liveScene } from './live-scene.ts';
import { spendScene } from './spend-scene.ts';
import { Stage } from './stage.ts';

const FOLDER = join(import.meta.dirname, '../../../docs/pictures');
const PICTURE_BYTES_MAX = 200_000;
const QUALITY = 80;
/** Ignores pictures above the visible area, which are loaded only when a visitor scrolls there. */
const ARE_PICTURES_THERE = `[...document.images]
  .filter((image) => image.getBoundingClientRect().bottom > 0)
  .every(({ complete }) => complete)`;
/** The scenes in chronological order. */
const SCENES = { chat: chatScene, spend: spendScene, live: liveScene } as const;

const folder = await mkdtemp(join(tmpdir(), 'masquerade-'));
try {
  const camera = join(folder, 'camera.mjpeg');
  await writeCamera(camera, CAMERA.clip, CAMERA.count);
  const browser = await startBrowser([`--use-file-for-fake-video-capture=${camera}`]);
  await using club = await FilmClub.open();
  await playFirstHalf(club);
  await mkdir(FOLDER, { recursive: true });
  const stage = new Stage(browser, club);
  for (const [name, play] of Object.entries(SCENES)) await keep(name, await play(stage));
  if (stage.errors.length > 0) throw new Error(`A page has faults: ${stage.errors.join('; ')}`);
} finally {
  await closeBrowser();
  await rm(folder, { recursive: true, force: true });
}

/** Writes a screenshot of a page, and closes the page. */
async function keep(name: string, page: Page): Promise<void> {
  await page.waitForFunction(ARE_PICTURES_THERE);
  const picture = await sharp(await page.screenshot())
    .webp({ quality: QUALITY, effort: 6 })
    .toBuffer();
  await page.context().close();
  if (picture.byteLength > PICTURE_BYTES_MAX) {
    throw new Error(`Cannot keep ${name}: ${picture.byteLength} bytes are more than ${PICTURE_BYTES_MAX}`);
  }
  await writeFile(join(FOLDER, `${name}.webp`), picture);
  process.stdout.write(`docs/pictures/${name}.webp  ${Math.ceil(picture.byteLength / 1000)} kB\n`);
}
