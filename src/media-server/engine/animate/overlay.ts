import type { Pixels, Rect } from '../pixels.ts';

/** Puts `drawn`, RGBA of `area`, over the picture where it is not transparent. */
export function overlay(drawn: Uint8Array, area: Rect, out: Pixels): void {
  for (let row = 0; row < area.height; row++) {
    let to = ((area.y + row) * out.width + area.x) * 4;
    let from = row * area.width * 4;
    for (let n = 0; n < area.width; n++, from += 4, to += 4) {
      if (drawn[from + 3] === 0) continue;
      out.data[to] = drawn[from] ?? 0;
      out.data[to + 1] = drawn[from + 1] ?? 0;
      out.data[to + 2] = drawn[from + 2] ?? 0;
    }
  }
}
