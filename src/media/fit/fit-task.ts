/** A file that is to become small enough. */
export interface FitTask {
  readonly path: string;
  /** Where the smaller one is written, whole or not at all. */
  readonly toPath: string;
  readonly bytesMax: number;
}

/** What was made, by its media type. */
export interface Fitted {
  readonly mime: string;
}
