/**
 * `node test/media-server/engine/video/video-sheet.ts [clip] [face]`: swaps the face into the clip, writes
 * `out/video-<clip>.png` (original above result, first every tenth frame, then consecutive frames) and prints how
 * much both faces jitter.
 */
import { mkdir } from 'node:fs/promises';
import sharp, { type OverlayOptions } from 'sharp';
import { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';
import { createCpuEngines } from '../../../../src/media-server/engine/cpu/cpu-engines.ts';
import { eyeDistanceOf, largestFace } from '../../../../src/media-server/engine/face/face.ts';
import { FaceReader } from '../../../../src/media-server/engine/face/face-reader.ts';
import type { Pixels } from '../../../../src/media-server/engine/pixels.ts';
import { sample } from '../use-engine.ts';

const OUT = new URL('../../../../out/', import.meta.url).pathname;
const CELL = 220;
const COLUMNS = 12;
const EVERY = 10;
const CLOSE_FROM = 60;

async function main(clip: string, face: string): Promise<void> {
  await mkdir(OUT, { recursive: true });
  await using engines = await createCpuEngines({ workers: 1 });
  const outputPath = `${OUT}video-${clip}`;
  const { signal } = new AbortController();
  await engines.videoSwap?.swapVideo({ videoPath: sample(clip), facePath: sample(face), outputPath }, signal);
  const tiles: OverlayOptions[] = [];
  await using reader = await FaceReader.load();
  for (const [row, path] of [sample(clip), outputPath].entries()) {
    const codec = await MediabunnyCodec.load();
    const points: Float32Array[] = [];
    let index = 0;
    for await (const { pixels } of codec.readVideo(path)) {
      const found = largestFace(await reader.find(pixels));
      if (found) points.push(found.landmarks.map((value) => value / eyeDistanceOf(found.landmarks)));
      const far = index % EVERY === 0 ? index / EVERY : COLUMNS;
      if (far < COLUMNS) tiles.push(await tile(pixels, far, row));
      const close = index - CLOSE_FROM;
      if (close >= 0 && close < COLUMNS) tiles.push(await tile(pixels, close, row + 2));
      index++;
    }
    process.stdout.write(`${path}: jitter ${(jitter(points) * 100).toFixed(2)} % of the eye distance\n`);
  }
  const size = { width: COLUMNS * CELL, height: 4 * CELL, channels: 3 as const, background: '#444' };
  await sharp({ create: size }).composite(tiles).png().toFile(`${OUT}video-${clip}.png`);
}

async function tile({ width, height, data }: Pixels, column: number, row: number): Promise<OverlayOptions> {
  const side = Math.min(width, height);
  const input = await sharp(data, { raw: { width, height, channels: 4 } })
    .extract({ left: (width - side) / 2, top: 0, width: side, height: side })
    .resize(CELL, CELL)
    .png()
    .toBuffer();
  return { input, left: column * CELL, top: row * CELL };
}

/** Returns the root mean square of each point's distance from the mean of its previous and next positions. */
function jitter(points: readonly Float32Array[]): number {
  let sum = 0;
  let count = 0;
  for (let n = 1; n + 1 < points.length; n++) {
    for (let at = 0; at < (points[n]?.length ?? 0); at++) {
      if (at % 3 === 2) continue;
      const middle = ((points[n - 1]?.[at] ?? 0) + (points[n + 1]?.[at] ?? 0)) / 2;
      sum += ((points[n]?.[at] ?? 0) - middle) ** 2;
      count++;
    }
  }
  return Math.sqrt(sum / count);
}

await main(process.argv[2] ?? 'talking-woman-512.mp4', process.argv[3] ?? 'portrait-man-elderly.jpg');
