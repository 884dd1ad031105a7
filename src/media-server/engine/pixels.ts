/**
 * A picture in memory: RGBA with 8 bits each, rows from the top, without padding. Alpha is not premultiplied.
 */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /**
   * `width * height * 4` bytes. The current holder of the picture may modify them unless documented
   * otherwise.
   */
  readonly data: Uint8Array;
  /** Converts the pixels of `area`, if `data` is converted on demand. Call it before you read them. */
  readonly reveal?: (area: Rect) => void;
}

/** A part of a picture in whole pixels. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
