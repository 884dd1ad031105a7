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
  /**
   * Present if `data` is converted on demand: converts the pixels of `area`, and must be called before they are read.
   */
  readonly reveal?: (area: Rect) => void;
}

/** A part of a picture in whole pixels. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
