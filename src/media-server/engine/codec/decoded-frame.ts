import type { Pixels } from '../pixels.ts';
import type { VideoFrame } from './codec.ts';
import { YuvCanvas } from './yuv-canvas.ts';
import type { YuvPicture } from './yuv-picture.ts';

/** One decoded picture; its RGBA form is made in `canvas`, which the reader's frames share. */
export class DecodedFrame implements VideoFrame {
  readonly planes: YuvPicture;
  readonly timestamp: number;
  readonly duration: number;
  readonly #canvas: () => YuvCanvas;
  #pixels: Pixels | undefined;

  constructor(
    planes: YuvPicture,
    times: { readonly timestamp: number; readonly duration: number },
    canvas: () => YuvCanvas,
  ) {
    this.planes = planes;
    this.timestamp = times.timestamp;
    this.duration = times.duration;
    this.#canvas = canvas;
  }

  get pixels(): Pixels {
    if (this.#pixels) return this.#pixels;
    const canvas = this.#canvas();
    canvas.show(this.planes);
    canvas.reveal({ x: 0, y: 0, width: canvas.width, height: canvas.height });
    const { width, height, data } = canvas;
    this.#pixels = { width, height, data };
    return this.#pixels;
  }
}

/** Makes the canvas of this size when it is first wanted, and always the same. */
export function sharedCanvas(width: number, height: number): () => YuvCanvas {
  let canvas: YuvCanvas | undefined;
  return () => (canvas ??= new YuvCanvas(width, height));
}
