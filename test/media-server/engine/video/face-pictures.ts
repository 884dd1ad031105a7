import sharp from 'sharp';
import { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';
import type { Pixels } from '../../../../src/media-server/engine/pixels.ts';
import { sample } from '../use-engine.ts';

/** Returns a sample picture, centred in a picture of this size, then rotated clockwise by `rotation` degrees. */
export async function samplePicture(
  name: string,
  width: number,
  height: number,
  rotation: number = 0,
): Promise<Pixels> {
  const upright = await sharp(sample(name))
    .resize(width, height, { fit: 'contain', background: '#777' })
    .png()
    .toBuffer();
  const { data, info } = await sharp(upright)
    .rotate(rotation)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

/** Returns the first `count` frames of a clip. */
export async function firstPictures(path: string, count: number): Promise<Pixels[]> {
  const codec = await MediabunnyCodec.load();
  const pictures: Pixels[] = [];
  for await (const { pixels } of codec.readVideo(path)) {
    pictures.push({ ...pixels, data: Uint8Array.from(pixels.data) });
    if (pictures.length === count) break;
  }
  return pictures;
}

/** Returns the mean difference, 0 to 255, of all colours within the same part of two pictures of equal size. */
export function difference(
  a: Pixels,
  b: Pixels,
  part: { left: number; top: number; right: number; bottom: number },
): number {
  let sum = 0;
  let count = 0;
  for (let y = Math.floor(part.top * a.height); y < part.bottom * a.height; y++) {
    for (let x = Math.floor(part.left * a.width); x < part.right * a.width; x++) {
      for (let c = 0; c < 3; c++, count++) {
        const at = (y * a.width + x) * 4 + c;
        sum += Math.abs((a.data[at] ?? 0) - (b.data[at] ?? 0));
      }
    }
  }
  return sum / count;
}
