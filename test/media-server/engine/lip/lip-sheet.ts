import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import sharp, { type OverlayOptions } from 'sharp';
import { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';
import { FaceReader } from '../../../../src/media-server/engine/face/face-reader.ts';
import { mouthFromRecording } from '../../../../src/media-server/engine/lip/mouth-from-recording.ts';
import { lipSyncRenderer } from '../../../../src/media-server/engine/lip/lip-sync-renderer.ts';
import { lipGap } from '../../../../src/media-server/engine/lip/mouth-measures.ts';
import { PictureFiles } from '../../../../src/media-server/engine/photo/picture-file.ts';
import type { Pixels } from '../../../../src/media-server/engine/pixels.ts';
import { FaceTracker } from '../../../../src/media-server/engine/track/face-tracker.ts';
import { noAbort, sample } from '../use-engine.ts';

const OUT = new URL('../../../../out/', import.meta.url).pathname;
const CELL = 150;
const COLUMNS = 12;

/**
 * Renders a clip with a recording to `out/`, prints speed and memory, and draws the mouths in every `every`th
 * frame, starting at `from` seconds: the clip's above the result's, with the requested mouth shape in between.
 * Arguments: clip, recording, from, every.
 */
async function main(clip: string, recording: string, from = '0.5', every = '1'): Promise<void> {
  await mkdir(OUT, { recursive: true });
  const codec = await MediabunnyCodec.load();
  await using reader = await FaceReader.load();
  const files = await PictureFiles.load();
  const name = `lip-${basename(clip).split('.')[0]}-${basename(recording).split('.')[0]}`;
  const outputPath = `${OUT}${name}.mp4`;
  const audioPath = sample(recording);
  const before = process.cpuUsage();
  const rendered = await lipSyncRenderer.render(
    { videoPath: sample(clip), audioPath, outputPath },
    { files, reader, codec: () => Promise.resolve(codec) },
    noAbort(),
    () => undefined,
  );
  const { user, system } = process.cpuUsage(before);
  const mouth = await mouthFromRecording(codec, audioPath, noAbort(), () => undefined);
  const original = await mouths(codec, reader, sample(clip));
  const result = await mouths(codec, reader, outputPath);
  const cpu = (user + system) / 1000 / result.length;
  process.stdout.write(
    `${JSON.stringify(rendered)}\n${result.length} frames, ${cpu.toFixed(1)} ms of processor time each, ` +
      `RSS ${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB\n`,
  );
  const first = result.findIndex(({ timestamp }) => timestamp >= Number(from));
  const shown = result.slice(first).filter((_, n) => n % Number(every) === 0);
  const tiles: OverlayOptions[] = shown.slice(0, COLUMNS * 4).flatMap(({ crop, timestamp, gap }, n) => {
    const left = (n % COLUMNS) * CELL;
    const top = Math.floor(n / COLUMNS) * (2 * CELL + 40);
    const own = original[result.findIndex((frame) => frame.timestamp === timestamp)];
    const shape = mouth.at(timestamp + 0.02);
    const words = `${timestamp.toFixed(2)}s o${(shape.open * 100).toFixed(0)} s${(shape.spread * 100).toFixed(0)} p${(shape.press * 100).toFixed(0)} t${(shape.tuck * 100).toFixed(0)}`;
    const gaps = `${((own?.gap ?? 0) * 100).toFixed(0)} -> ${(gap * 100).toFixed(0)}`;
    const label = `<svg xmlns="http://www.w3.org/2000/svg" width="${CELL}" height="40" font-family="sans-serif" font-size="12"><rect width="${CELL}" height="40" fill="#fff"/><rect y="34" width="${shape.open * CELL}" height="6" fill="#06c"/><text x="2" y="13">${words}</text><text x="2" y="29">gap ${gaps}</text></svg>`;
    return [
      ...(own ? [{ input: own.crop, left, top }] : []),
      { input: Buffer.from(label), left, top: top + CELL },
      { input: crop, left, top: top + CELL + 40 },
    ];
  });
  await sharp({
    create: { width: COLUMNS * CELL, height: 4 * (2 * CELL + 40), channels: 3, background: '#444' },
  })
    .composite(tiles)
    .png()
    .toFile(`${OUT}${name}.png`);
}

interface Mouth {
  readonly timestamp: number;
  readonly gap: number;
  readonly crop: Buffer;
}

async function mouths(codec: MediabunnyCodec, reader: FaceReader, path: string): Promise<Mouth[]> {
  const tracker = new FaceTracker(reader);
  const found: Mouth[] = [];
  for await (const { pixels, timestamp } of codec.readVideo(path)) {
    const face = await tracker.next(pixels, timestamp);
    if (!face) continue;
    const { box, rawLandmarks } = face;
    found.push({ timestamp, gap: lipGap(rawLandmarks), crop: await cropMouth(pixels, box) });
  }
  return found;
}

function cropMouth(
  { width, height, data }: Pixels,
  box: { x: number; y: number; width: number; height: number },
): Promise<Buffer> {
  const side = Math.round(box.width * 0.8);
  const left = Math.round(Math.min(width - side, Math.max(0, box.x + box.width / 2 - side / 2)));
  const top = Math.round(Math.min(height - side, Math.max(0, box.y + box.height * 0.76 - side / 2)));
  return sharp(data, { raw: { width, height, channels: 4 } })
    .extract({ left, top, width: side, height: side })
    .resize(CELL, CELL)
    .png()
    .toBuffer();
}

const [clip = 'talking-woman-512.mp4', recording = 'speech-man-48k.wav', from, every] = process.argv.slice(2);
await main(clip, recording, from, every);
