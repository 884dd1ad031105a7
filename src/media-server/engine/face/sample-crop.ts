import { copyRows, openKernels } from '../kernels/kernels.ts';
import type { Pixels, Rect } from '../pixels.ts';

/** A square part of a picture, rotated clockwise by `angle` radians around its centre, in picture pixels. */
export interface Crop {
  readonly centreX: number;
  readonly centreY: number;
  readonly size: number;
  readonly angle: number;
}

/**
 * The input format of a network: `value * scale + offset` for a byte `value`, and the byte that is used
 * outside the picture.
 */
export interface ValueRange {
  readonly scale: number;
  readonly offset: number;
  readonly outside: number;
}

/** The maximum number of bytes that are copied at a time, unless the samples of a single value need more. */
const PART_BYTES_MAX = 4 * 2 ** 20;

/**
 * Samples `crop` into `out` as `size * size` RGB triples. When it shrinks the crop, it averages 2 x 2 or 4 x 4 samples
 * per value (measured: the networks find the same points as with true averages). Alpha is ignored; outside the picture,
 * every byte counts as `range.outside`.
 */
export function sampleCrop(
  picture: Pixels,
  crop: Crop,
  size: number,
  out: Float32Array,
  range: ValueRange,
): void {
  const step = crop.size / size;
  const taps = step < 1.5 ? 1 : step < 5 ? 2 : 4;
  const cos = (Math.cos(crop.angle) * step) / taps;
  const sin = (Math.sin(crop.angle) * step) / taps;
  const half = (size * taps - 1) / 2;
  const reach = (Math.abs(cos) + Math.abs(sin)) * (half + 1);
  picture.reveal?.({
    x: crop.centreX - reach,
    y: crop.centreY - reach,
    width: 2 * reach,
    height: 2 * reach,
  });
  const square = { x: 0, y: 0, width: size, height: size };
  sampleTile({ picture, crop, size, out, range, taps, cos, sin, half }, square);
}

interface Sampling {
  readonly picture: Pixels;
  readonly crop: Crop;
  readonly size: number;
  readonly out: Float32Array;
  readonly range: ValueRange;
  /** The number of samples per value in each direction. */
  readonly taps: number;
  /** The step from one sample to the next, in pixels across and down. */
  readonly cos: number;
  readonly sin: number;
  /** Half the width of the crop, in samples. */
  readonly half: number;
}

/** Fills the values of `tile`, a part of the crop. Splits the tile into halves if it covers too many pixels. */
function sampleTile(sampling: Sampling, tile: Rect): void {
  const { picture, crop, size, out, range, taps, cos, sin, half } = sampling;
  const part = pixelsUnder(sampling, tile);
  const { x, y, width, height } = tile;
  if (part.width * part.height * 4 > PART_BYTES_MAX && width * height > 1) {
    for (const share of halves(tile)) sampleTile(sampling, share);
    return;
  }
  const rowBytes = part.width * 4;
  const { kernels, bytes, at } = openKernels(rowBytes * part.height, width * height * 12);
  const [sourceAt = 0, outAt = 0] = at;
  copyRows(
    { bytes: picture.data, at: (part.y * picture.width + part.x) * 4, stride: picture.width * 4 },
    { bytes, at: sourceAt, stride: rowBytes },
    rowBytes,
    part.height,
  );
  kernels.sampleCrop(
    sourceAt,
    part.x,
    part.y,
    part.width,
    picture.width,
    picture.height,
    crop.centreX,
    crop.centreY,
    cos,
    sin,
    half,
    taps,
    range.scale / (taps * taps),
    range.offset,
    range.outside,
    y,
    y + height,
    x,
    x + width,
    outAt,
  );
  const values = new Uint8Array(out.buffer, out.byteOffset, out.byteLength);
  copyRows(
    { bytes, at: outAt, stride: width * 12 },
    { bytes: values, at: (y * size + x) * 12, stride: size * 12 },
    width * 12,
    height,
  );
}

/**
 * Returns the part of the picture that contains the samples of a tile. The part is empty if all samples are outside the
 * picture.
 */
function pixelsUnder({ picture, crop, taps, cos, sin, half }: Sampling, tile: Rect): Rect {
  const u = (tile.x + tile.width / 2) * taps - 0.5 - half;
  const v = (tile.y + tile.height / 2) * taps - 0.5 - half;
  const middleX = crop.centreX + u * cos - v * sin;
  const middleY = crop.centreY + u * sin + v * cos;
  const [across, down] = [(tile.width * taps) / 2, (tile.height * taps) / 2];
  const reachX = Math.abs(cos) * across + Math.abs(sin) * down + 1;
  const reachY = Math.abs(sin) * across + Math.abs(cos) * down + 1;
  const x = Math.min(picture.width, Math.max(0, Math.floor(middleX - reachX)));
  const y = Math.min(picture.height, Math.max(0, Math.floor(middleY - reachY)));
  const right = Math.max(x, Math.min(picture.width, Math.ceil(middleX + reachX)));
  const bottom = Math.max(y, Math.min(picture.height, Math.ceil(middleY + reachY)));
  return { x, y, width: right - x, height: bottom - y };
}

function halves({ x, y, width, height }: Rect): Rect[] {
  if (width > height) {
    const left = width >> 1;
    return [
      { x, y, width: left, height },
      { x: x + left, y, width: width - left, height },
    ];
  }
  const upper = height >> 1;
  return [
    { x, y, width, height: upper },
    { x, y: y + upper, width, height: height - upper },
  ];
}
