import type { Pixels, Rect } from '../pixels.ts';
import { evenArea, rgbaToYuv, yuvToRgba } from './yuv-convert.ts';
import type { YuvPicture } from './yuv-picture.ts';

/**
 * One decoded picture after the other as RGBA, converted only where it is looked at: at 1080p a face is a
 * tenth of the picture. Edits reach the picture with `store`.
 */
export class YuvCanvas implements Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
  #picture: YuvPicture | undefined;
  #revealed: Rect | undefined;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.data = new Uint8Array(width * height * 4);
  }

  /** Shows `picture`, of this size and borrowed until the next one; nothing of it is revealed yet. */
  show(picture: YuvPicture): void {
    if (picture.width !== this.width || picture.height !== this.height)
      throw new TypeError('Cannot show a picture of another size');
    this.#picture = picture;
    this.#revealed = undefined;
  }

  /** Makes the bytes of `area` right. Undoes edits outside the largest area revealed so far. */
  reveal(area: Rect): void {
    const even = evenArea(area, this);
    if (!this.#picture || (this.#revealed && covers(this.#revealed, even))) return;
    yuvToRgba(this.#picture, even, this);
    const { width = 0, height = 0 } = this.#revealed ?? {};
    if (even.width * even.height > width * height) this.#revealed = even;
  }

  /** Writes `area`, which must have been revealed, back into the picture. */
  store(area: Rect): void {
    if (this.#picture) rgbaToYuv(this, evenArea(area, this), this.#picture);
  }
}

function covers(outer: Rect, inner: Rect): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}
