import type { Pixels, Rect } from '../pixels.ts';
import { pixelWords } from '../swap/pixel-words.ts';

/**
 * Copies the RGBA pixels in `drawn`, except transparent ones, to `area` of the picture `out`. Both arrays must be
 * aligned to 4 bytes.
 */
export function overlay(drawn: Uint8Array, area: Rect, out: Pixels): void {
  const from = pixelWords(drawn);
  const to = pixelWords(out.data);
  for (let row = 0; row < area.height; row++) {
    const start = (area.y + row) * out.width + area.x;
    const source = row * area.width;
    for (let n = 0; n < area.width; n++) {
      const pixel = from[source + n] ?? 0;
      if (pixel !== 0) to[start + n] = pixel;
    }
  }
}
