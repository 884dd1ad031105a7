import { mkdir } from 'node:fs/promises';
import sharp, { type OverlayOptions } from 'sharp';
import { FaceReader } from '../../../src/media-server/engine/face/face-reader.ts';
import type { FaceBox } from '../../../src/media-server/engine/face/face.ts';
import type { Pixels } from '../../../src/media-server/engine/pixels.ts';
import { FaceSwapper } from '../../../src/media-server/engine/swap/face-swapper.ts';
import { SwapMemory } from '../../../src/media-server/engine/swap/swap-memory.ts';
import { cutSourceFace } from '../../../src/media-server/engine/swap/source-face.ts';
import { FaceTracker } from '../../../src/media-server/engine/track/face-tracker.ts';
import { clipFrames } from './clip-frames.ts';
import { readPixels, sample } from './use-engine.ts';

const CELL = 220;
const COLUMNS = 10;

/**
 * `node test/media-server/engine/clip-sheet.ts <clip> <portrait> <first> <step>`: writes `out/clip-sheet.png`, twenty
 * frames of a clip, each above a copy with the portrait's face on it.
 */
async function main(): Promise<void> {
  const [
    clip = 'talking-man-640x360.mp4',
    portrait = 'portrait-woman-brown-hair.jpg',
    from = '0',
    step = '1',
  ] = process.argv.slice(2);
  const out = new URL('../../../out/', import.meta.url);
  await mkdir(out, { recursive: true });
  await using reader = await FaceReader.load();
  const person = await readPixels(sample(portrait));
  const face = await reader.findMain(person);
  if (!face) throw new Error(`Cannot find the face in ${portrait}`);
  const source = cutSourceFace(person, face);
  const tracker = new FaceTracker(reader);
  const swapper = new FaceSwapper();
  const memory = new SwapMemory();
  const [first, stride] = [Number(from), Number(step)];
  const tiles: OverlayOptions[] = [];
  for (const [n, frame] of (await clipFrames(clip, first + stride * 2 * COLUMNS)).entries()) {
    const before = { ...frame.pixels, data: Uint8Array.from(frame.pixels.data) };
    const tracked = await tracker.next(frame.pixels, frame.timestamp);
    if (!tracked) continue;
    if (tracked.isNew) memory.reset();
    const { weight } = tracked;
    swapper.swap(frame.pixels, tracked.landmarks, source, { weight, memory, seconds: frame.timestamp });
    if (n < first || (n - first) % stride !== 0) continue;
    const place = (n - first) / stride;
    const left = (place % COLUMNS) * CELL;
    const top = Math.floor(place / COLUMNS) * 2 * CELL;
    tiles.push({ input: await tile(before, tracked.box), left, top });
    tiles.push({ input: await tile(frame.pixels, tracked.box), left, top: top + CELL });
  }
  await sharp({ create: { width: COLUMNS * CELL, height: 4 * CELL, channels: 3, background: '#444' } })
    .composite(tiles)
    .png()
    .toFile(new URL('clip-sheet.png', out).pathname);
}

function tile(picture: Pixels, box: FaceBox): Promise<Buffer> {
  const side = Math.round(Math.max(box.width, box.height) * 1.2);
  const left = Math.max(0, Math.round(box.x + box.width / 2 - side / 2));
  const top = Math.max(0, Math.round(box.y + box.height / 2 - side / 2));
  const width = Math.min(side, picture.width - left);
  const height = Math.min(side, picture.height - top);
  return sharp(picture.data, { raw: { width: picture.width, height: picture.height, channels: 4 } })
    .extract({ left, top, width, height })
    .resize(CELL, CELL)
    .png()
    .toBuffer();
}

await main();
