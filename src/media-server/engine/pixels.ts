/** A picture in memory: RGBA, 8 bits each, rows from the top without padding. Alpha is not premultiplied. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** `width * height * 4` bytes; whoever holds the picture may write them unless told otherwise. */
  readonly data: Uint8Array;
  /** Present when `data` is filled in part by part: makes the bytes of `area` right. Call it before you read there. */
  readonly reveal?: (area: Rect) => void;
}

/** Part of a picture in whole pixels. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
