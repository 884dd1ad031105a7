import { drawAltered } from './draw-altered.ts';

/**
 * Shows the newest picture on a canvas at the resolution of the screen. A picture is never drawn if a newer one has
 * arrived.
 */
export class AlteredPicture {
  #canvas: HTMLCanvasElement | null = null;
  #newest: ArrayBuffer | null = null;
  #isDecoding = false;
  #shown: ImageBitmap | null = null;
  /** The number of times the canvas was cleared. If it changes while a picture is decoded, that picture is dropped. */
  #cleared = 0;

  /** Sets the canvas; null if there is none at the moment. */
  attach(canvas: HTMLCanvasElement | null): void {
    this.#canvas = canvas;
    this.#draw();
  }

  show(jpeg: ArrayBuffer): void {
    this.#newest = jpeg;
    if (!this.#isDecoding) void this.#decode();
  }

  /** Draws the current picture again, because the size of the canvas has changed. */
  redraw(): void {
    this.#draw();
  }

  clear(): void {
    this.#cleared += 1;
    this.#newest = null;
    this.#shown?.close();
    this.#shown = null;
    const canvas = this.#canvas;
    canvas?.getContext('2d')?.clearRect(0, 0, canvas.width, canvas.height);
  }

  async #decode(): Promise<void> {
    this.#isDecoding = true;
    for (let jpeg = this.#newest; jpeg; jpeg = this.#newest) {
      this.#newest = null;
      const before = this.#cleared;
      const picture = await createImageBitmap(new Blob([jpeg], { type: 'image/jpeg' })).catch(() => null);
      if (!picture) continue;
      if (before === this.#cleared) this.#become(picture);
      else picture.close();
    }
    this.#isDecoding = false;
  }

  #become(picture: ImageBitmap): void {
    this.#shown?.close();
    this.#shown = picture;
    this.#draw();
  }

  #draw(): void {
    const [canvas, picture] = [this.#canvas, this.#shown];
    if (!canvas || !picture) return;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((side) =>
      Math.max(1, Math.round(side * devicePixelRatio)),
    );
    if (width !== undefined && canvas.width !== width) canvas.width = width;
    if (height !== undefined && canvas.height !== height) canvas.height = height;
    drawAltered(canvas, picture);
  }
}
