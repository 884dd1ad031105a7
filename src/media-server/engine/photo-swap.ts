/** Renders Photo Swap jobs. The embedded CPU engine is one implementation; a GPU server can be another. */
export interface PhotoSwapEngine extends AsyncDisposable {
  /**
   * Puts the face of the picture at `facePath` on the main face of the picture at `imagePath` and writes
   * the result, in the base picture's size, to `outputPath`. Throws `RenderError` when the inputs are at
   * fault or the render did not complete, and the signal's reason when aborted.
   */
  swapPhoto(request: PhotoSwapRequest, signal: AbortSignal): Promise<RenderedImage>;
}

export interface PhotoSwapRequest {
  readonly imagePath: string;
  readonly facePath: string;
  readonly outputPath: string;
}

/** Width and height in pixels. */
export interface RenderedImage {
  readonly width: number;
  readonly height: number;
  readonly mime: 'image/jpeg' | 'image/png';
}
