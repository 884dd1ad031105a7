import type { Pixels, Rect } from '../pixels.ts';

/**
 * A head drawn at its position: RGBA of `area`. The red channel of `cover` is how much of each pixel is head.
 */
interface DrawnHead {
  readonly area: Rect;
  readonly colour: Uint8Array;
  readonly cover: Uint8Array;
}

/**
 * Draws `mouth` (RGBA of `area`, which is within the head's area) into the head with opacity `share`, but opaquely
 * where the head has a gap.
 */
export function layMouth(head: DrawnHead, area: Rect, mouth: Uint8Array, share: number): void {
  const { colour, cover } = head;
  for (let y = 0, from = 0; y < area.height; y++) {
    let at = ((area.y + y - head.area.y) * head.area.width + area.x - head.area.x) * 4;
    for (let x = 0; x < area.width; x++, at += 4, from += 4) {
      if (mouth[from + 3] === 0) continue;
      const part = colour[at + 3] === 0 ? 1 : share;
      if (part === 0) continue;
      for (let channel = 0; channel < 3; channel++) {
        const own = colour[at + channel] ?? 0;
        colour[at + channel] = own + part * ((mouth[from + channel] ?? 0) - own);
      }
      cover[at] = 255;
    }
  }
}

/** Draws the head on `picture`, in place. */
export function layHead({ width, data }: Pixels, { area, colour, cover }: DrawnHead): void {
  for (let y = 0, at = 0; y < area.height; y++) {
    let out = ((area.y + y) * width + area.x) * 4;
    for (let x = 0; x < area.width; x++, at += 4, out += 4) {
      const share = cover[at] ?? 0;
      if (share === 0) continue;
      if (share === 255) {
        data[out] = colour[at] ?? 0;
        data[out + 1] = colour[at + 1] ?? 0;
        data[out + 2] = colour[at + 2] ?? 0;
        continue;
      }
      data[out] = over(data[out] ?? 0, colour[at] ?? 0, share);
      data[out + 1] = over(data[out + 1] ?? 0, colour[at + 1] ?? 0, share);
      data[out + 2] = over(data[out + 2] ?? 0, colour[at + 2] ?? 0, share);
    }
  }
}

/** Blends two bytes, rounded. `share` is 0 to 255. */
function over(under: number, own: number, share: number): number {
  return ((under * (255 - share) + own * share + 128) * 257) >> 16;
}
