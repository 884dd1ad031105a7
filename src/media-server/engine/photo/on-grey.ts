import type { Pixels } from '../pixels.ts';
import type { Picture } from './picture-file.ts';

const BACKDROP = 127;

/**
 * Returns the picture on grey, without transparency, because the colours of transparent pixels are arbitrary and must
 * not be detected as a face.
 */
export function onGrey(picture: Picture): Pixels {
  if (!picture.hasAlpha) return picture;
  const { width, height, data } = picture;
  const flat = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] ?? 0;
    for (let channel = 0; channel < 3; channel++) {
      flat[at + channel] = ((data[at + channel] ?? 0) * alpha + BACKDROP * (255 - alpha)) / 255;
    }
    flat[at + 3] = 255;
  }
  return { width, height, data: flat };
}
