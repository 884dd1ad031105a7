import { join } from 'node:path';
import type { Codec } from '../../../../src/media-server/engine/codec/codec.ts';
import type { Pixels } from '../../../../src/media-server/engine/pixels.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

/** Writes a clip of ten frames of one picture without sound, and returns its path. */
export async function stillClip(codec: Codec, picture: Pixels): Promise<string> {
  const path = join(await useFolder(), 'still.mp4');
  const { width, height } = picture;
  await using writer = await codec.writeVideo({
    path,
    width,
    height,
    frameRate: 25,
    sound: { from: 'nowhere' },
  });
  for (let n = 0; n < 10; n++) await writer.add(picture, n / 25, 1 / 25);
  await writer.finish();
  return path;
}

/** Returns frame `n` of a clip, counted from 0. */
export async function pictureOf(codec: Codec, path: string, n = 0): Promise<Pixels> {
  let at = 0;
  for await (const { pixels } of codec.readVideo(path)) {
    if (at++ === n) return { ...pixels, data: Uint8Array.from(pixels.data) };
  }
  throw new Error(`Cannot find picture ${n} in the clip`);
}

/** Returns all the sound of a clip, at 16 kHz. */
export async function soundOf(codec: Codec, path: string): Promise<number[]> {
  const samples: number[] = [];
  for await (const piece of codec.readAudio(path, 16_000)) samples.push(...piece);
  return samples;
}

/**
 * Returns the similarity of two pictures, in dB, within a part that is given as fractions of their size.
 */
export function psnr(
  a: Pixels,
  b: Pixels,
  part: { left: number; top: number; right: number; bottom: number },
): number {
  let [sum, count] = [0, 0];
  for (let y = Math.round(part.top * a.height); y < Math.round(part.bottom * a.height); y++) {
    for (let x = Math.round(part.left * a.width); x < Math.round(part.right * a.width); x++) {
      for (let channel = 0; channel < 3; channel++) {
        const at = (y * a.width + x) * 4 + channel;
        sum += ((a.data[at] ?? 0) - (b.data[at] ?? 0)) ** 2;
        count++;
      }
    }
  }
  return 10 * Math.log10((255 * 255 * count) / sum);
}
