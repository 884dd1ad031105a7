/** A file to make smaller. */
export interface FitTask {
  readonly kind: 'image' | 'video';
  readonly path: string;
  /** The path of the smaller file, which is written completely or not at all. */
  readonly toPath: string;
  readonly bytesMax: number;
}

/** The media type of the smaller file. */
export interface Fitted {
  readonly mime: 'image/jpeg' | 'image/webp' | 'video/mp4';
}
