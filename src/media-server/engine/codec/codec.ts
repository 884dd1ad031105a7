import type { Pixels } from '../pixels.ts';
import type { YuvPicture } from './yuv-picture.ts';

/** Reads and writes clips. Everything is streamed: no implementation holds more than a few frames. */
export interface Codec {
  /** Reads the header. Throws `RenderError` `unsupported_format` if the clip cannot be opened. */
  probe(path: string): Promise<ClipInfo>;

  /**
   * Reads the pictures of the clip, upright and in display order. The reader stops when the caller's loop ends. Throws
   * `RenderError` `unsupported_format` if nothing can be decoded; a truncated clip ends early.
   */
  readVideo(path: string, options?: ReadVideoOptions): AsyncIterable<VideoFrame>;

  /**
   * Reads the sound in pieces of mono samples, -1 to 1, from the beginning of the clip. If the sound starts late,
   * silence comes first. Throws `RenderError` `unsupported_format` if nothing can be decoded; a truncated clip ends
   * early.
   */
  readAudio(path: string, sampleRateHz: number): AsyncIterable<Float32Array>;

  /** Starts an MP4 (H.264, AAC) at `path`. The caller adds frames, then finishes or disposes it. */
  writeVideo(options: WriteVideoOptions): Promise<VideoWriter>;
}

/**
 * The contents of a clip. Sizes are in pixels as displayed, that is, after rotation and with square pixels.
 */
export interface ClipInfo {
  /** The duration of the pictures or that of the sound, whichever is longer. */
  readonly durationSeconds: number;
  /** `frameRate` is the average of the first frames, or 0 if there are too few. */
  readonly video: { readonly width: number; readonly height: number; readonly frameRate: number } | undefined;
  readonly audio: { readonly sampleRateHz: number; readonly channels: number } | undefined;
}

export interface ReadVideoOptions {
  /**
   * The number of pixels of the shorter side after scaling; both sides are made even. Default: the clip's own size,
   * made even.
   */
  readonly shorterSide?: number;
}

/** A picture of a clip. The reader owns it: it is valid, and may be modified, until the next picture is requested. */
export interface VideoFrame {
  /**
   * The picture as RGBA, converted on first use. Changes affect only `pixels`; to keep them, pass `pixels` to a writer.
   */
  readonly pixels: Pixels;
  /** The picture as the clip stores it, for code that needs only a part of it as RGBA: see `YuvCanvas`. */
  readonly planes: YuvPicture;
  /** The time since the beginning of the clip, in seconds. */
  readonly timestamp: number;
  readonly duration: number;
}

export interface WriteVideoOptions {
  readonly path: string;
  /** Width and height must be even. */
  readonly width: number;
  readonly height: number;
  /** The expected frame rate. The timestamps of the frames may be irregular. */
  readonly frameRate: number;
  /** The source of the sound: none, another clip's unchanged packets, or samples to encode. */
  readonly sound: Sound;
}

export type Sound =
  | { readonly from: 'nowhere' }
  | { readonly from: 'clip'; readonly path: string }
  | { readonly from: 'samples'; readonly samples: Float32Array; readonly sampleRateHz: number };

export interface VideoWriter extends AsyncDisposable {
  /**
   * Adds a picture and waits if the encoder is behind. The picture may be reused once the promise resolves. Timestamps
   * must increase.
   */
  add(picture: Pixels | YuvPicture, timestamp: number, duration: number): Promise<void>;

  /**
   * Writes the sound and the index. Returns the duration of the pictures in seconds. Without this call, the
   * file is unusable.
   */
  finish(): Promise<number>;
}
