import type { Pixels, Rect } from '../pixels.ts';
import { evenArea, rgbaToYuv, yuvToRgba } from './yuv-convert.ts';
import type { YuvPicture } from './yuv-picture.ts';

/**
 * Shows decoded pictures as RGBA, one after the other, and converts only the areas in use, because at 1080p a face is
 * only a tenth of the picture. `store` writes changes back to the picture.
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

  /**
   * Shows `picture`, which must have the canvas's size and is borrowed until the next call. No area is converted yet.
   */
  show(picture: YuvPicture): void {
    if (picture.width !== this.width || picture.height !== this.height)
      throw new TypeError('Cannot show a picture of another size');
    this.#picture = picture;
    this.#revealed = undefined;
  }

  /**
   * Converts the pixels of `area`, and discards changes to them that were not stored. Does nothing if `area` lies
   * within the largest area that has been converted so far.
   */
  reveal(area: Rect): void {
    const even = evenArea(area, this);
    if (!this.#picture || (this.#revealed && covers(this.#revealed, even))) return;
    yuvToRgba(this.#picture, even, this);
    const { width = 0, height = 0 } = this.#revealed ?? {};
    if (even.width * even.height > width * height) this.#revealed = even;
  }

  /** Writes `area`, which must have been converted, back to the picture. */
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
