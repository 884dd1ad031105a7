/** To the worker that makes JPEGs of what the camera shows. */
export type ToFrameWorker =
  /** Pictures come by a stream. They are made at most so large. */
  | {
      readonly type: 'stream';
      readonly frames: ReadableStream<VideoFrame>;
      readonly size: Size;
    }
  /** Pictures come one by one, whenever it asks. */
  | { readonly type: 'asked'; readonly size: Size }
  | { readonly type: 'picture'; readonly picture: ImageBitmap | null }
  /** One more JPEG is wanted, of the newest picture. */
  | { readonly type: 'next' };

/** From it. */
export type FromFrameWorker =
  | { readonly type: 'jpeg'; readonly bytes: ArrayBuffer }
  /** A `picture` is wanted. */
  | { readonly type: 'ask' };

/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}
