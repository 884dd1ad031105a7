import type { Pixels } from '../pixels.ts';

/** Reads and writes clips. Everything streams: no implementation holds more than a few frames. */
export interface Codec {
  /** Reads the header. Throws `RenderError` `unsupported_format` when it cannot be opened. */
  probe(path: string): Promise<ClipInfo>;

  /**
   * The clip's pictures in the order in which they are shown, upright. The reader stops when the loop is left.
   * Throws `RenderError` `unsupported_format` when nothing can be decoded; a clip that breaks off ends early.
   */
  readVideo(path: string, options?: ReadVideoOptions): AsyncIterable<VideoFrame>;

  /** The sound as mono samples, -1 to 1, in pieces. Throws `RenderError` `unsupported_format`. */
  readAudio(path: string, sampleRateHz: number): AsyncIterable<Float32Array>;

  /** Starts an MP4 (H.264, AAC) at `path`. The caller adds frames, then finishes or disposes it. */
  writeVideo(options: WriteVideoOptions): Promise<VideoWriter>;
}

/** What a clip holds. Sizes in pixels as shown, that is, after rotation. */
export interface ClipInfo {
  readonly durationSeconds: number;
  readonly video: { readonly width: number; readonly height: number; readonly frameRate: number } | undefined;
  readonly audio: { readonly sampleRateHz: number; readonly channels: number } | undefined;
}

export interface ReadVideoOptions {
  /** Scale so that the shorter side has this many pixels; sides are even. Default: the clip's own, made even. */
  readonly shorterSide?: number;
}

export interface VideoFrame {
  /** Owned by the reader: valid until the next one is asked for, and may be written until then. */
  readonly pixels: Pixels;
  /** From the clip's beginning, in seconds. */
  readonly timestamp: number;
  readonly duration: number;
}

export interface WriteVideoOptions {
  readonly path: string;
  /** Even numbers. */
  readonly width: number;
  readonly height: number;
  readonly frameRate: number;
  /** Where the sound comes from: none, another clip's packets untouched, or samples to encode. */
  readonly sound: Sound;
}

export type Sound =
  | { readonly from: 'nowhere' }
  | { readonly from: 'clip'; readonly path: string }
  | { readonly from: 'samples'; readonly samples: Float32Array; readonly sampleRateHz: number };

export interface VideoWriter extends AsyncDisposable {
  /** Waits while the encoder is behind. The pixels may be reused once it resolves. */
  add(pixels: Pixels, timestamp: number, duration: number): Promise<void>;

  /** Writes the sound and the index. Returns the duration in seconds. Without it, no usable file is left. */
  finish(): Promise<number>;
}
