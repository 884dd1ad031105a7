import type { Rect } from '../pixels.ts';

/** The pixels of a picture that a drawn head covers completely, so that nothing under them needs to be drawn. */
export class Hidden {
  readonly #line: Uint8Array;
  #area: Rect = { x: 0, y: 0, width: 0, height: 0 };
  #cover: Uint8Array = new Uint8Array(0);

  constructor(width: number) {
    this.#line = new Uint8Array(width);
  }

  /**
   * Sets the cover of the next head: the red channel of the RGBA pixels of `area`, which are not copied. An undefined
   * area means no head.
   */
  show(area: Rect | undefined, cover: Uint8Array): void {
    this.#area = area ?? { x: 0, y: 0, width: 0, height: 0 };
    this.#cover = cover;
  }

  /**
   * Returns 1 for each hidden pixel of a row of the picture and 0 for the others. The array is valid until the next
   * call.
   */
  row(y: number): Uint8Array {
    const { x, width, height } = this.#area;
    const line = this.#line.fill(0);
    const row = y - this.#area.y;
    if (row < 0 || row >= height) return line;
    const cover = this.#cover;
    for (let n = x, at = row * width * 4; n < x + width; n++, at += 4) {
      if (cover[at] === 255) line[n] = 1;
    }
    return line;
  }
}
