import sharp from 'sharp';
import { MediabunnyCodec } from '../../../src/media-server/engine/codec/mediabunny-codec.ts';
import type { Pixels } from '../../../src/media-server/engine/pixels.ts';
import { sample } from './use-engine.ts';

/** A frame of a clip, and its time in seconds. */
export interface ClipFrame {
  readonly pixels: Pixels;
  readonly timestamp: number;
}

/** Returns the first `count` frames of a sample clip. */
export async function clipFrames(name: string, count: number): Promise<ClipFrame[]> {
  const codec = await MediabunnyCodec.load();
  const frames: ClipFrame[] = [];
  for await (const { pixels, timestamp } of codec.readVideo(sample(name))) {
    frames.push({ pixels: { ...pixels, data: Uint8Array.from(pixels.data) }, timestamp });
    if (frames.length === count) break;
  }
  return frames;
}

/** Encodes the picture as a JPEG, as a camera does. */
export async function asJpeg({ width, height, data }: Pixels): Promise<Uint8Array> {
  return await sharp(data, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .jpeg({ quality: 85 })
    .toBuffer();
}
