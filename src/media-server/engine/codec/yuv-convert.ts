import { type Kernels, copyRows, openKernels } from '../kernels/kernels.ts';
import type { Pixels, Rect } from '../pixels.ts';
import type { YuvMatrix, YuvPicture } from './yuv-picture.ts';

/** The shares of red and of blue in luma. */
const LUMA_SHARES: Readonly<Record<YuvMatrix, readonly [number, number]>> = {
  bt601: [0.299, 0.114],
  bt709: [0.2126, 0.0722],
  bt2020: [0.2627, 0.0593],
};
/** The fixed-point numbers that stand for 1 in the kernels. */
const DECODING_ONE = 8_192;
const ENCODING_ONE = 16_384;
const PIXELS_PER_STEP = 8;
const STRIP_PIXELS = 32_768;

/** Returns `area` extended to even edges within the picture. Only such areas can be converted. */
export function evenArea({ x, y, width, height }: Rect, picture: { width: number; height: number }): Rect {
  const left = Math.max(0, Math.floor(x / 2) * 2);
  const top = Math.max(0, Math.floor(y / 2) * 2);
  const right = Math.min(picture.width, Math.ceil((x + width) / 2) * 2);
  const bottom = Math.min(picture.height, Math.ceil((y + height) / 2) * 2);
  return { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

/**
 * Converts `area`, which must be even, from `from` to the picture `to`, which has the same size. The result is opaque,
 * and chroma is not interpolated.
 */
export function yuvToRgba(from: YuvPicture, area: Rect, to: Pixels): void {
  const { kernels, ...strips } = openStrips(area, DECODING[from.colours.matrix]);
  for (let top = 0; top < area.height; top += strips.rows) {
    const rows = Math.min(strips.rows, area.height - top);
    const { luma, cb, cr, rgba } = partsOf(from, to, area, top);
    copyRows(luma, strips.luma, area.width, rows);
    copyRows(cb, strips.cb, area.width / 2, rows / 2);
    copyRows(cr, strips.cr, area.width / 2, rows / 2);
    for (let row = 0; row < rows; row++) {
      kernels.yuvRowToRgba(
        strips.luma.at + row * strips.luma.stride,
        strips.cb.at + (row >> 1) * strips.cb.stride,
        strips.cr.at + (row >> 1) * strips.cr.stride,
        area.width,
        strips.factorsAt,
        strips.rgba.at + row * strips.rgba.stride,
      );
    }
    copyRows(strips.rgba, rgba, area.width * 4, rows);
  }
}

/** Converts `area`, which must be even, from the picture `from` to `to`, which has the same size. Alpha is ignored. */
export function rgbaToYuv(from: Pixels, area: Rect, to: YuvPicture): void {
  const { kernels, ...strips } = openStrips(area, ENCODING[to.colours.matrix]);
  for (let top = 0; top < area.height; top += strips.rows) {
    const rows = Math.min(strips.rows, area.height - top);
    const { luma, cb, cr, rgba } = partsOf(to, from, area, top);
    copyRows(rgba, strips.rgba, area.width * 4, rows);
    for (let row = 0; row < rows; row += 2) {
      const upper = strips.rgba.at + row * strips.rgba.stride;
      const upperLuma = strips.luma.at + row * strips.luma.stride;
      kernels.rgbaRowsToYuv(
        upper,
        upper + strips.rgba.stride,
        area.width,
        strips.factorsAt,
        upperLuma,
        upperLuma + strips.luma.stride,
        strips.cb.at + (row >> 1) * strips.cb.stride,
        strips.cr.at + (row >> 1) * strips.cr.stride,
      );
    }
    copyRows(strips.luma, luma, area.width, rows);
    copyRows(strips.cb, cb, area.width / 2, rows / 2);
    copyRows(strips.cr, cr, area.width / 2, rows / 2);
  }
}

/** The rows of a picture's plane: the offset of the first row, and the distance between rows. */
interface Rows {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly stride: number;
}

interface Planes {
  readonly luma: Rows;
  readonly cb: Rows;
  readonly cr: Rows;
  readonly rgba: Rows;
}

/** Allocates memory for a few rows at a time, so that they stay in the processor's cache. */
function openStrips(
  { width, height }: Rect,
  factors: Int32Array,
): Planes & { readonly kernels: Kernels; readonly rows: number; readonly factorsAt: number } {
  const stride = Math.ceil(width / PIXELS_PER_STEP) * PIXELS_PER_STEP;
  const rows = Math.min(height, Math.max(2, Math.floor(STRIP_PIXELS / Math.max(stride, 1) / 2) * 2));
  const chromaBytes = (stride * rows) / 4;
  const { kernels, bytes, at } = openKernels(
    stride * rows,
    chromaBytes,
    chromaBytes,
    stride * rows * 4,
    factors.byteLength,
  );
  const [lumaAt = 0, cbAt = 0, crAt = 0, rgbaAt = 0, factorsAt = 0] = at;
  new Int32Array(bytes.buffer, factorsAt, factors.length).set(factors);
  return {
    kernels,
    rows,
    factorsAt,
    luma: { bytes, at: lumaAt, stride },
    cb: { bytes, at: cbAt, stride: stride / 2 },
    cr: { bytes, at: crAt, stride: stride / 2 },
    rgba: { bytes, at: rgbaAt, stride: stride * 4 },
  };
}

/** Returns the rows of `area`, starting with its row `top`, in both forms of the picture: planes and RGBA. */
function partsOf({ width, height, data }: YuvPicture, pixels: Pixels, area: Rect, top: number): Planes {
  const y = area.y + top;
  const cbPlane = width * height;
  const chroma = cbPlane + (y / 2) * (width / 2) + area.x / 2;
  return {
    luma: { bytes: data, at: y * width + area.x, stride: width },
    cb: { bytes: data, at: chroma, stride: width / 2 },
    cr: { bytes: data, at: chroma + cbPlane / 4, stride: width / 2 },
    rgba: { bytes: pixels.data, at: (y * width + area.x) * 4, stride: width * 4 },
  };
}

const DECODING: Readonly<Record<YuvMatrix, Int32Array>> = {
  bt601: decodingFactors('bt601'),
  bt709: decodingFactors('bt709'),
  bt2020: decodingFactors('bt2020'),
};

/**
 * Returns the numbers that the kernel expects: the factors of luma, of Cr for red, of Cb and of Cr for green, and of Cb
 * for blue, then the initial value of the sums.
 */
function decodingFactors(matrix: YuvMatrix): Int32Array {
  const [kr, kb] = LUMA_SHARES[matrix];
  const kg = 1 - kr - kb;
  const luma = 255 / 219;
  const chroma = 255 / 112;
  const factors = [
    luma,
    chroma * (1 - kr),
    (-chroma * kb * (1 - kb)) / kg,
    (-chroma * kr * (1 - kr)) / kg,
    chroma * (1 - kb),
    0.5 - 16 * luma,
  ];
  return Int32Array.from(factors, (factor) => Math.round(factor * DECODING_ONE));
}

const ENCODING: Readonly<Record<YuvMatrix, Int32Array>> = {
  bt601: encodingFactors('bt601'),
  bt709: encodingFactors('bt709'),
  bt2020: encodingFactors('bt2020'),
};

/** Returns the factors of red, green and blue, first for luma, then for Cb, then for Cr. */
function encodingFactors(matrix: YuvMatrix): Int32Array {
  const [kr, kb] = LUMA_SHARES[matrix];
  const kg = 1 - kr - kb;
  const luma = 219 / 255;
  const chroma = 112 / 255;
  const factors = [
    kr * luma,
    kg * luma,
    kb * luma,
    (-kr / (1 - kb)) * chroma,
    (-kg / (1 - kb)) * chroma,
    chroma,
    chroma,
    (-kg / (1 - kr)) * chroma,
    (-kb / (1 - kr)) * chroma,
  ];
  return Int32Array.from(factors, (factor) => Math.round(factor * ENCODING_ONE));
}
