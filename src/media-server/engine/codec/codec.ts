import type { Pixels } from '../pixels.ts';
import type { YuvPicture } from './yuv-picture.ts';

/** Reads and writes clips. Everything streams: no implementation holds more than a few frames. */
export interface Codec {
  /** Reads the header. Throws `RenderError` `unsupported_format` when it cannot be opened. */
  probe(path: string): Promise<ClipInfo>;

  /**
   * The clip's pictures in the order in which they are shown, upright. The reader stops when the loop is left.
   * Throws `RenderError` `unsupported_format` when nothing can be decoded; a clip that breaks off ends early.
   */
  readVideo(path: string, options?: ReadVideoOptions): AsyncIterable<VideoFrame>;

  /**
   * The sound as mono samples, -1 to 1, in pieces, from the clip's beginning: silence stands where it starts late.
   * Throws `RenderError` `unsupported_format` when nothing can be decoded; a clip that breaks off ends early.
   */
  readAudio(path: string, sampleRateHz: number): AsyncIterable<Float32Array>;

  /** Starts an MP4 (H.264, AAC) at `path`. The caller adds frames, then finishes or disposes it. */
  writeVideo(options: WriteVideoOptions): Promise<VideoWriter>;
}

/** What a clip holds. Sizes in pixels as shown, that is, after rotation and with square pixels. */
export interface ClipInfo {
  /** Of the longer of pictures and sound. */
  readonly durationSeconds: number;
  /** `frameRate` is the average of the first frames; 0 when there are too few to tell. */
  readonly video: { readonly width: number; readonly height: number; readonly frameRate: number } | undefined;
  readonly audio: { readonly sampleRateHz: number; readonly channels: number } | undefined;
}

export interface ReadVideoOptions {
  /** Scale so that the shorter side has this many pixels; sides are even. Default: the clip's own, made even. */
  readonly shorterSide?: number;
}

/** A picture of a clip. Owned by the reader: valid until the next one is asked for, and may be written until then. */
export interface VideoFrame {
  /** The picture as RGBA, converted when first asked for. Edits stay here: give it to a writer. */
  readonly pixels: Pixels;
  /** The picture as the clip stores it, for those who need little of it as RGBA: see `YuvCanvas`. */
  readonly planes: YuvPicture;
  /** From the clip's beginning, in seconds. */
  readonly timestamp: number;
  readonly duration: number;
}

export interface WriteVideoOptions {
  readonly path: string;
  /** Even numbers. */
  readonly width: number;
  readonly height: number;
  /** What to expect of the frames' timestamps, which need not be regular. */
  readonly frameRate: number;
  /** Where the sound comes from: none, another clip's packets untouched, or samples to encode. */
  readonly sound: Sound;
}

export type Sound =
  | { readonly from: 'nowhere' }
  | { readonly from: 'clip'; readonly path: string }
  | { readonly from: 'samples'; readonly samples: Float32Array; readonly sampleRateHz: number };

export interface VideoWriter extends AsyncDisposable {
  /** Waits while the encoder is behind. The picture may be reused once it resolves. Timestamps grow. */
  add(picture: Pixels | YuvPicture, timestamp: number, duration: number): Promise<void>;

  /** Writes the sound and the index. Returns the pictures' duration in seconds. Without it, no usable file is left. */
  finish(): Promise<number>;
}
