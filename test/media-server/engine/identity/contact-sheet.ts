import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp, { type OverlayOptions } from 'sharp';
import { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';
import { largestFace } from '../../../../src/media-server/engine/face/face.ts';
import { FaceReader } from '../../../../src/media-server/engine/face/face-reader.ts';
import { cutHead } from '../../../../src/media-server/engine/head/head-cutout.ts';
import { HeadSwapper } from '../../../../src/media-server/engine/head/head-swapper.ts';
import { studyClip } from '../../../../src/media-server/engine/identity/study-clip.ts';
import { onGrey } from '../../../../src/media-server/engine/photo/on-grey.ts';
import { PictureFiles } from '../../../../src/media-server/engine/photo/picture-file.ts';
import type { Pixels } from '../../../../src/media-server/engine/pixels.ts';
import { FaceTracker } from '../../../../src/media-server/engine/track/face-tracker.ts';
import { noAbort, sample } from '../use-engine.ts';

const OUT = fileURLToPath(new URL('../../../../out/', import.meta.url));
const CLIPS = ['talking-woman-512.mp4', 'talking-man-640x360.mp4'];
const CHARACTERS = [
  'portrait-woman-curly-hair.jpg',
  'portrait-man-elderly.jpg',
  'portrait-woman-brown-hair.jpg',
  'portrait-man-dark-hair.jpg',
  'portrait-woman-three-quarter.jpg',
  'portrait-man-short-hair.png',
];
const FRAMES = [0, 24, 40, 58, 76, 94, 112, 120];

/**
 * Writes `out/identity-<clip>.png`: eight frames of a clip, and below them the same frames with each character's
 * head. Arguments: part of a clip's name, part of a character's name, and the longer side of the frames (default 640).
 */
async function main([clipPart = '', characterPart = '', side = '640']: readonly string[]): Promise<void> {
  await mkdir(OUT, { recursive: true });
  await using reader = await FaceReader.load();
  for (const clip of CLIPS.filter((name) => name.includes(clipPart))) {
    const characters = CHARACTERS.filter((name) => name.includes(characterPart));
    await sheet(clip, characters, Number(side), reader);
  }
}

async function sheet(
  clip: string,
  characters: readonly string[],
  side: number,
  reader: FaceReader,
): Promise<void> {
  const codec = await MediabunnyCodec.load();
  const info = (await codec.probe(sample(clip))).video;
  if (!info) throw new Error(`Cannot read ${clip}`);
  const shorterSide = (side * Math.min(info.width, info.height)) / Math.max(info.width, info.height);
  const frames = codec.readVideo(sample(clip), { shorterSide });
  const [scene] = await studyClip(frames, 150, reader, { signal: noAbort(), progress: () => {} });
  if (!scene) throw new Error(`Cannot find a face in ${clip}`);
  const target = scene.person;
  const plate = copy(target.plate);
  for (let at = 3; at < plate.data.length; at += 4) plate.data[at] = 255;
  const rows: Pixels[][] = [[plate]];
  const swappers: HeadSwapper[] = [];
  // One at a time, because a reader mixes up the faces of pictures that it processes at the same time.
  for (const name of characters) swappers.push(new HeadSwapper(await head(name, reader), target));
  const tracker = new FaceTracker(reader);
  let n = 0;
  for await (const { pixels, timestamp } of codec.readVideo(sample(clip), { shorterSide })) {
    const face = await tracker.next(pixels, timestamp);
    if (!FRAMES.includes(n++) || !face) continue;
    rows[0]?.push(copy(pixels));
    for (const [at, swapper] of swappers.entries()) {
      const picture = copy(pixels);
      const before = process.cpuUsage();
      swapper.swap(picture, face);
      const { user, system } = process.cpuUsage(before);
      process.stdout.write(`${((user + system) / 1000).toFixed(0)} ms `);
      (rows[at + 1] ??= []).push(picture);
    }
  }
  process.stdout.write('\n');
  await write(`${OUT}identity-${basename(clip, '.mp4')}.png`, rows);
}

async function write(path: string, rows: readonly (readonly Pixels[])[]): Promise<void> {
  const [first] = rows[0] ?? [];
  if (!first) throw new Error('Cannot write an empty sheet');
  const { width, height } = first;
  const tiles: OverlayOptions[] = [];
  const shown = rows.flatMap((row, at) => (at === 0 ? [row.slice(1), row.slice(0, 1)] : [row]));
  for (const [row, pictures] of shown.entries()) {
    for (const [column, { data }] of pictures.entries()) {
      tiles.push({
        input: Buffer.from(data.buffer),
        raw: { width, height, channels: 4 },
        left: column * width,
        top: row * height,
      });
    }
  }
  const sheetSize = { width: width * FRAMES.length, height: height * shown.length };
  await sharp({ create: { ...sheetSize, channels: 3, background: '#000' }, limitInputPixels: false })
    .composite(tiles)
    .png({ compressionLevel: 1 })
    .toFile(path);
}

async function head(name: string, reader: FaceReader): Promise<ReturnType<typeof cutHead>> {
  const files = await PictureFiles.load();
  const picture = onGrey(await files.decode(sample(name), 'character'));
  const face = largestFace(await reader.find(picture));
  if (!face) throw new Error(`Cannot find a face in ${name}`);
  return cutHead(picture, face);
}

function copy({ width, height, data }: Pixels): Pixels {
  return { width, height, data: Uint8Array.from(data) };
}

await main(process.argv.slice(2));
