/** A picture as clips store it: 8 bits, a full plane of luma, then two of chroma with half the width and height. */
export interface YuvPicture {
  /** Even numbers. */
  readonly width: number;
  readonly height: number;
  /** `width * height * 1.5` bytes without padding: Y, then Cb, then Cr. */
  readonly data: Uint8Array;
  readonly colours: YuvColours;
}

/** What the numbers of a `YuvPicture` mean; luma is 16 to 235, chroma 16 to 240. */
export interface YuvColours {
  readonly matrix: YuvMatrix;
  /** ITU-T H.273 code points as the clip tells them, carried over to the result. 2: not told. */
  readonly codes: { readonly matrix: number; readonly primaries: number; readonly transfer: number };
}

export type YuvMatrix = 'bt601' | 'bt709' | 'bt2020';

const BT709 = 1;
const UNTOLD = 2;
const BT2020 = [9, 10];
/** Pictures that do not tell are taken for what players take them for: high definition from this height on. */
const HD_FROM_HEIGHT = 720;

/** Colours of pictures that were computed here. */
export const HD_COLOURS: YuvColours = {
  matrix: 'bt709',
  codes: { matrix: BT709, primaries: BT709, transfer: BT709 },
};

/** What pictures of this height with these H.273 code points mean. */
export function coloursOf(codes: YuvColours['codes'], height: number): YuvColours {
  const isHd = codes.matrix === UNTOLD ? height >= HD_FROM_HEIGHT : codes.matrix === BT709;
  return { matrix: BT2020.includes(codes.matrix) ? 'bt2020' : isHd ? 'bt709' : 'bt601', codes };
}

/** Bytes of a picture of this size. */
export function yuvSizeBytes(width: number, height: number): number {
  return (width * height * 3) / 2;
}
