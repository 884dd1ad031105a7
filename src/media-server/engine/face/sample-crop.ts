import type { Pixels } from '../pixels.ts';

/** A square part of a picture, turned clockwise by `angle` radians around its centre; in picture pixels. */
export interface Crop {
  readonly centreX: number;
  readonly centreY: number;
  readonly size: number;
  readonly angle: number;
}

/** What a network wants: `value * scale + offset` for a byte `value`, and which byte stands outside the picture. */
export interface ValueRange {
  readonly scale: number;
  readonly offset: number;
  readonly outside: number;
}

/**
 * Reads `crop` into `out` as `size * size` RGB triples. When shrinking it averages 2 x 2 or 4 x 4 samples per
 * value (measured: the networks find the same points as from true averages). Alpha is ignored; outside the
 * picture it reads `range.outside`.
 */
export function sampleCrop(
  picture: Pixels,
  crop: Crop,
  size: number,
  out: Float32Array,
  range: ValueRange,
): void {
  const { width, height, data } = picture;
  const { scale, offset, outside } = range;
  const step = crop.size / size;
  const taps = step < 1.5 ? 1 : step < 5 ? 2 : 4;
  const cos = (Math.cos(crop.angle) * step) / taps;
  const sin = (Math.sin(crop.angle) * step) / taps;
  const half = (size * taps - 1) / 2;
  const share = scale / (taps * taps);
  const reach = (Math.abs(cos) + Math.abs(sin)) * (half + 1);
  picture.reveal?.({
    x: crop.centreX - reach,
    y: crop.centreY - reach,
    width: 2 * reach,
    height: 2 * reach,
  });
  const inside =
    crop.centreX >= reach &&
    crop.centreY >= reach &&
    crop.centreX + reach < width &&
    crop.centreY + reach < height;
  let at = 0;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let v = row * taps - half, vEnd = v + taps; v < vEnd; v++) {
        let x = crop.centreX + (column * taps - half) * cos - v * sin;
        let y = crop.centreY + (column * taps - half) * sin + v * cos;
        for (let tap = 0; tap < taps; tap++, x += cos, y += sin) {
          // Reading past the last row gives undefined, which becomes a NaN score that passes every threshold.
          if (inside || (x >= 0 && y >= 0 && x < width && y < height)) {
            const index = ((y | 0) * width + (x | 0)) << 2;
            red += data[index] ?? 0;
            green += data[index + 1] ?? 0;
            blue += data[index + 2] ?? 0;
          } else {
            red += outside;
            green += outside;
            blue += outside;
          }
        }
      }
      out[at++] = red * share + offset;
      out[at++] = green * share + offset;
      out[at++] = blue * share + offset;
    }
  }
}
