/**
 * A picture as clips store it: 8 bits per value, a full plane of luma, then two planes of chroma with half the width
 * and height.
 */
export interface YuvPicture {
  /** Width and height must be even. */
  readonly width: number;
  readonly height: number;
  /** `width * height * 1.5` bytes without padding: Y, then Cb, then Cr. */
  readonly data: Uint8Array;
  readonly colours: YuvColours;
}

/** The meaning of the numbers in a `YuvPicture`. Luma ranges from 16 to 235, chroma from 16 to 240. */
export interface YuvColours {
  readonly matrix: YuvMatrix;
  /** The clip's ITU-T H.273 code points, which are copied to the result. 2 means unspecified. */
  readonly codes: { readonly matrix: number; readonly primaries: number; readonly transfer: number };
}

export type YuvMatrix = 'bt601' | 'bt709' | 'bt2020';

const BT709 = 1;
const UNSPECIFIED = 2;
const BT2020 = [9, 10];
/** Pictures with unspecified colours count as high definition from this height in pixels, as in players. */
const HD_FROM_HEIGHT = 720;

/** The colours of pictures that the engine creates itself. */
export const HD_COLOURS: YuvColours = {
  matrix: 'bt709',
  codes: { matrix: BT709, primaries: BT709, transfer: BT709 },
};

/** Returns the colours of a picture of this height with these H.273 code points. */
export function coloursOf(codes: YuvColours['codes'], height: number): YuvColours {
  const isHd = codes.matrix === UNSPECIFIED ? height >= HD_FROM_HEIGHT : codes.matrix === BT709;
  return { matrix: BT2020.includes(codes.matrix) ? 'bt2020' : isHd ? 'bt709' : 'bt601', codes };
}

/** Returns the number of bytes of a picture of this size. */
export function yuvSizeBytes(width: number, height: number): number {
  return (width * height * 3) / 2;
}
