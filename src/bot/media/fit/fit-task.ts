/** A file that is to become small enough. */
export interface FitTask {
  readonly kind: 'image' | 'video';
  readonly path: string;
  /** Where the smaller one is written, whole or not at all. */
  readonly toPath: string;
  readonly bytesMax: number;
}

/** What was made, by its media type. */
export interface Fitted {
  readonly mime: 'image/jpeg' | 'image/webp' | 'video/mp4';
}
