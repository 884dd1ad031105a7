import { drawAltered } from './draw-altered.ts';

/** Shows the newest of the pictures that come, on a canvas as sharp as the screen; those overtaken are never drawn. */
export class AlteredPicture {
  #canvas: HTMLCanvasElement | null = null;
  #newest: ArrayBuffer | null = null;
  #isDecoding = false;
  #shown: ImageBitmap | null = null;
  /** How often it was taken away: what was being decoded then is not shown any more. */
  #cleared = 0;

  /** Where to draw; null: nowhere for now. */
  attach(canvas: HTMLCanvasElement | null): void {
    this.#canvas = canvas;
    this.#draw();
  }

  show(jpeg: ArrayBuffer): void {
    this.#newest = jpeg;
    if (!this.#isDecoding) void this.#decode();
  }

  /** Draws the last one again: the canvas has another size. */
  redraw(): void {
    this.#draw();
  }

  /** Takes the picture away. */
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
