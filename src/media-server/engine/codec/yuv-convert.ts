import type { Pixels, Rect } from '../pixels.ts';
import type { YuvMatrix, YuvPicture } from './yuv-picture.ts';

/** Share of red and of blue in luma. */
const LUMA_SHARES: Readonly<Record<YuvMatrix, readonly [number, number]>> = {
  bt601: [0.299, 0.114],
  bt709: [0.2126, 0.0722],
  bt2020: [0.2627, 0.0593],
};
const BITS = 14;
const ONE = 1 << BITS;
const HALF = ONE / 2;
const OPAQUE = 255 << 24;

/** `area` grown to even edges within the picture: the parts that can be converted. */
export function evenArea({ x, y, width, height }: Rect, picture: { width: number; height: number }): Rect {
  const left = Math.max(0, Math.floor(x / 2) * 2);
  const top = Math.max(0, Math.floor(y / 2) * 2);
  const right = Math.min(picture.width, Math.ceil((x + width) / 2) * 2);
  const bottom = Math.min(picture.height, Math.ceil((y + height) / 2) * 2);
  return { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

/** Writes `area` (even) of `from` into the picture `to` of the same size, opaque. Chroma is not interpolated. */
export function yuvToRgba(from: YuvPicture, area: Rect, to: Pixels): void {
  const { width, height, data } = from;
  const out = wordsOf(to.data);
  const { luma, redCr, greenCb, greenCr, blueCb } = DECODING[from.colours.matrix];
  const cbPlane = width * height;
  const crPlane = cbPlane + cbPlane / 4;
  for (let y = area.y; y < area.y + area.height; y++) {
    let at = y * width + area.x;
    let chroma = (y >> 1) * (width >> 1) + (area.x >> 1);
    for (const end = at + area.width; at < end; at += 2, chroma++) {
      const cb = data[cbPlane + chroma] ?? 0;
      const cr = data[crPlane + chroma] ?? 0;
      const red = redCr[cr] ?? 0;
      const green = (greenCb[cb] ?? 0) + (greenCr[cr] ?? 0);
      const blue = blueCb[cb] ?? 0;
      const first = luma[data[at] ?? 0] ?? 0;
      out[at] = byte(first + red) | (byte(first + green) << 8) | (byte(first + blue) << 16) | OPAQUE;
      const second = luma[data[at + 1] ?? 0] ?? 0;
      out[at + 1] = byte(second + red) | (byte(second + green) << 8) | (byte(second + blue) << 16) | OPAQUE;
    }
  }
}

/** Writes `area` (even) of the picture `from` into `to` of the same size; alpha is ignored. */
export function rgbaToYuv(from: Pixels, area: Rect, to: YuvPicture): void {
  const { width, height, data } = to;
  const rgba = wordsOf(aligned(from.data));
  const { yr, yg, yb, cbr, cbg, crg, crb, c } = ENCODING[to.colours.matrix];
  const cbPlane = width * height;
  const crPlane = cbPlane + cbPlane / 4;
  for (let y = area.y; y < area.y + area.height; y += 2) {
    let at = y * width + area.x;
    let chroma = (y >> 1) * (width >> 1) + (area.x >> 1);
    for (const end = at + area.width; at < end; at += 2, chroma++) {
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let pixel = at, n = 0; n < 4; n++, pixel += n === 2 ? width - 1 : 1) {
        const value = rgba[pixel] ?? 0;
        const r = value & 255;
        const g = (value >> 8) & 255;
        const b = (value >> 16) & 255;
        data[pixel] = (yr * r + yg * g + yb * b + 16 * ONE + HALF) >> BITS;
        red += r;
        green += g;
        blue += b;
      }
      data[cbPlane + chroma] = (cbr * red + cbg * green + c * blue + 514 * ONE) >> (BITS + 2);
      data[crPlane + chroma] = (c * red + crg * green + crb * blue + 514 * ONE) >> (BITS + 2);
    }
  }
}

function wordsOf({ buffer, byteOffset, length }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length / 4);
}

function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
}

/** A fixed-point number as a byte. */
function byte(value: number): number {
  const whole = value >> BITS;
  return whole < 0 ? 0 : whole > 255 ? 255 : whole;
}

interface DecodingTables {
  readonly luma: Int32Array;
  readonly redCr: Int32Array;
  readonly greenCb: Int32Array;
  readonly greenCr: Int32Array;
  readonly blueCb: Int32Array;
}

const DECODING: Readonly<Record<YuvMatrix, DecodingTables>> = {
  bt601: makeTables('bt601'),
  bt709: makeTables('bt709'),
  bt2020: makeTables('bt2020'),
};

function makeTables(matrix: YuvMatrix): DecodingTables {
  const [kr, kb] = LUMA_SHARES[matrix];
  const kg = 1 - kr - kb;
  const table = (value: (byte: number) => number): Int32Array =>
    Int32Array.from({ length: 256 }, (_unused, byte) => Math.round(value(byte) * ONE));
  const chroma = (byte: number): number => ((byte - 128) * 255) / 112;
  return {
    luma: table((byte) => ((byte - 16) * 255) / 219 + 0.5),
    redCr: table((byte) => chroma(byte) * (1 - kr)),
    greenCb: table((byte) => (-chroma(byte) * kb * (1 - kb)) / kg),
    greenCr: table((byte) => (-chroma(byte) * kr * (1 - kr)) / kg),
    blueCb: table((byte) => chroma(byte) * (1 - kb)),
  };
}

type EncodingShares = Readonly<Record<'yr' | 'yg' | 'yb' | 'cbr' | 'cbg' | 'crg' | 'crb' | 'c', number>>;

const ENCODING: Readonly<Record<YuvMatrix, EncodingShares>> = {
  bt601: encodingShares('bt601'),
  bt709: encodingShares('bt709'),
  bt2020: encodingShares('bt2020'),
};

/** Fixed-point factors per byte: of luma, and of Cb and Cr, whose own colour has the same share `c`. */
function encodingShares(matrix: YuvMatrix): EncodingShares {
  const [kr, kb] = LUMA_SHARES[matrix];
  const kg = 1 - kr - kb;
  const fixed = (value: number): number => Math.round(value * ONE);
  const luma = 219 / 255;
  const chroma = 112 / 255;
  return {
    yr: fixed(kr * luma),
    yg: fixed(kg * luma),
    yb: fixed(kb * luma),
    cbr: fixed((-kr / (1 - kb)) * chroma),
    cbg: fixed((-kg / (1 - kb)) * chroma),
    crg: fixed((-kg / (1 - kr)) * chroma),
    crb: fixed((-kb / (1 - kr)) * chroma),
    c: fixed(chroma),
  };
}
