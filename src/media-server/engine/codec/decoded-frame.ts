import type { Pixels } from '../pixels.ts';
import type { VideoFrame } from './codec.ts';
import { YuvCanvas } from './yuv-canvas.ts';
import type { YuvPicture } from './yuv-picture.ts';

/** One decoded picture. Its RGBA form is created in `canvas`, which all frames of the reader share. */
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

/**
 * Returns a function that creates the canvas of this size on the first call and returns the same one later.
 */
export function sharedCanvas(width: number, height: number): () => YuvCanvas {
  let canvas: YuvCanvas | undefined;
  return () => (canvas ??= new YuvCanvas(width, height));
}
