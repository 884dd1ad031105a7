/** A message to the worker that encodes the camera's pictures as JPEGs. */
export type ToFrameWorker =
  /** Pictures arrive in a stream. `size` is the largest size of a JPEG. */
  | {
      readonly type: 'stream';
      readonly frames: ReadableStream<VideoFrame>;
      readonly size: Size;
    }
  /** Pictures arrive one at a time, each when the worker asks for it. */
  | { readonly type: 'asked'; readonly size: Size }
  | { readonly type: 'picture'; readonly picture: ImageBitmap | null }
  /** The worker must encode the newest picture. */
  | { readonly type: 'next' };

/** A message from the worker that encodes the camera's pictures. */
export type FromFrameWorker =
  | { readonly type: 'jpeg'; readonly bytes: ArrayBuffer }
  /** The worker requests a `picture`. */
  | { readonly type: 'ask' };

/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}
