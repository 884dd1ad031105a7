import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import sharp, { type OverlayOptions } from 'sharp';
import { largestFace } from '../../../src/media-server/engine/face/face.ts';
import { FaceReader } from '../../../src/media-server/engine/face/face-reader.ts';
import type { Pixels } from '../../../src/media-server/engine/pixels.ts';
import { FaceSwapper } from '../../../src/media-server/engine/swap/face-swapper.ts';
import { cutSourceFace } from '../../../src/media-server/engine/swap/source-face.ts';
import { PORTRAITS } from './portraits.ts';

const SAMPLES = new URL('../../samples/', import.meta.url);
const OUT = new URL('../../../out/', import.meta.url);
const CELL = 330;

/** Renders every portrait's face (columns) on every portrait (rows) and writes `out/contact-sheet.png`. */
async function main(): Promise<void> {
  await mkdir(OUT, { recursive: true });
  await using reader = await FaceReader.load();
  const swapper = new FaceSwapper();
  const people = await Promise.all(PORTRAITS.map(async (name) => ({ name, picture: await load(name) })));
  const only = process.argv[2];
  const zoom = only ? 2 : 1;
  const tiles: OverlayOptions[] = [];
  let row = 0;
  for (const base of people) {
    if (only && !basename(base.name).includes(only)) continue;
    const face = largestFace(await reader.find(base.picture));
    if (!face) throw new Error(`Cannot find the face in ${base.name}`);
    for (const [column, source] of people.entries()) {
      const found = largestFace(await reader.find(source.picture));
      if (!found) throw new Error(`Cannot find the face in ${source.name}`);
      const target = { ...base.picture, data: Uint8Array.from(base.picture.data) };
      if (source !== base) swapper.swap(target, face.landmarks, cutSourceFace(source.picture, found));
      const input = await tile(target, face.box, CELL * zoom);
      const [x, y] = only ? [column % 3, Math.floor(column / 3)] : [column, row];
      tiles.push({ input, left: x * CELL * zoom, top: y * CELL * zoom });
    }
    row++;
  }
  const [columns, rows] = only ? [3, 2] : [people.length, people.length];
  await sharp({
    create: { width: columns * CELL * zoom, height: rows * CELL * zoom, channels: 3, background: '#444' },
  })
    .composite(tiles)
    .png()
    .toFile(new URL(only ? `contact-${only}.png` : 'contact-sheet.png', OUT).pathname);
}

async function load(name: string): Promise<Pixels> {
  const { data, info } = await sharp(new URL(name, SAMPLES).pathname)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

function tile(
  picture: Pixels,
  box: { x: number; y: number; width: number; height: number },
  size: number,
): Promise<Buffer> {
  const side = Math.round(Math.max(box.width, box.height) * 1.4);
  const left = Math.max(0, Math.round(box.x + box.width / 2 - side / 2));
  const top = Math.max(0, Math.round(box.y + box.height * 0.42 - side / 2));
  return sharp(picture.data, { raw: { width: picture.width, height: picture.height, channels: 4 } })
    .extract({
      left,
      top,
      width: Math.min(side, picture.width - left),
      height: Math.min(side, picture.height - top),
    })
    .resize(size, size)
    .png()
    .toBuffer();
}

await main();
