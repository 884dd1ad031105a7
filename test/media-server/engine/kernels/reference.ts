/** Simple and slow reference implementations of the kernels, which compute one pixel or value at a time. */
import type { YuvPicture } from '../../../../src/media-server/engine/codec/yuv-picture.ts';
import type { Crop, ValueRange } from '../../../../src/media-server/engine/face/sample-crop.ts';
import type { Pixels, Rect } from '../../../../src/media-server/engine/pixels.ts';
import type { BlendFields } from '../../../../src/media-server/engine/swap/blend-face.ts';
import type { CoarseGrid } from '../../../../src/media-server/engine/swap/coarse-grid.ts';
import type { ColourMatch } from '../../../../src/media-server/engine/swap/colour-match.ts';

/** The shares of red and blue in luma, by colour matrix. */
const SHARES = { bt601: [0.299, 0.114], bt709: [0.2126, 0.0722], bt2020: [0.2627, 0.0593] } as const;

/**
 * Returns the opaque colour at (x, y), interpolated between pixels; beyond the edges, the outermost pixels repeat.
 */
export function sampledPixel(picture: Pixels, x: number, y: number): number[] {
  const inX = clamp(x, 0, picture.width - 1);
  const inY = clamp(y, 0, picture.height - 1);
  const [left, top] = [Math.floor(inX), Math.floor(inY)];
  const mixed = [0, 1, 2].map((channel) => {
    const upper = mix(at(picture, left, top, channel), at(picture, left + 1, top, channel), inX - left);
    const lower = mix(
      at(picture, left, top + 1, channel),
      at(picture, left + 1, top + 1, channel),
      inX - left,
    );
    return mix(upper, lower, inY - top);
  });
  return [...mixed, 255];
}

/** Returns the `n`th value of a crop of `size` x `size` RGB triples. */
export function croppedValue(
  picture: Pixels,
  crop: Crop,
  size: number,
  range: ValueRange,
  n: number,
): number {
  const step = crop.size / size;
  const taps = step < 1.5 ? 1 : step < 5 ? 2 : 4;
  const column = Math.floor(n / 3) % size;
  const row = Math.floor(n / 3 / size);
  let sum = 0;
  for (let line = 0; line < taps; line++) {
    for (let tap = 0; tap < taps; tap++) {
      const u = ((column * taps + tap + 0.5) / (size * taps) - 0.5) * crop.size;
      const v = ((row * taps + line + 0.5) / (size * taps) - 0.5) * crop.size;
      const x = Math.floor(crop.centreX + u * Math.cos(crop.angle) - v * Math.sin(crop.angle));
      const y = Math.floor(crop.centreY + u * Math.sin(crop.angle) + v * Math.cos(crop.angle));
      const isIn = x >= 0 && y >= 0 && x < picture.width && y < picture.height;
      sum += isIn ? (picture.data[(y * picture.width + x) * 4 + (n % 3)] ?? 0) : range.outside;
    }
  }
  return (sum / (taps * taps)) * range.scale + range.offset;
}

/** Returns the colour of the pixel at (x, y) in a 4:2:0 picture. */
export function decodedPixel({ width, height, data, colours }: YuvPicture, x: number, y: number): number[] {
  const [kr, kb] = SHARES[colours.matrix];
  const chroma = width * height + (y >> 1) * (width / 2) + (x >> 1);
  const luma = ((data[y * width + x] ?? 0) - 16) / 219;
  const cb = ((data[chroma] ?? 0) - 128) / 224;
  const cr = ((data[chroma + (width * height) / 4] ?? 0) - 128) / 224;
  const red = luma + 2 * (1 - kr) * cr;
  const blue = luma + 2 * (1 - kb) * cb;
  const green = (luma - kr * red - kb * blue) / (1 - kr - kb);
  return [...[red, green, blue].map((value) => clamp(Math.round(value * 255), 0, 255)), 255];
}

/**
 * Returns the `n`th byte of `to` after `area` of `from` is drawn into it; `undefined` if the area does not
 * affect it.
 */
export function encodedSample(from: Pixels, to: YuvPicture, area: Rect, n: number): number | undefined {
  const { width, height, colours } = to;
  const [kr, kb] = SHARES[colours.matrix];
  const lumaOf = (x: number, y: number): number =>
    kr * at(from, x, y, 0) + (1 - kr - kb) * at(from, x, y, 1) + kb * at(from, x, y, 2);
  if (n < width * height) {
    const [x, y] = [n % width, Math.floor(n / width)];
    return isInside(area, x, y) ? Math.round(16 + (lumaOf(x, y) * 219) / 255) : undefined;
  }
  const place = (n - width * height) % ((width * height) / 4);
  const isCb = n < width * height * 1.25;
  const [x, y] = [(place % (width / 2)) * 2, Math.floor(place / (width / 2)) * 2];
  if (!isInside(area, x, y)) return undefined;
  let sum = 0;
  for (const [px, py] of [
    [x, y],
    [x + 1, y],
    [x, y + 1],
    [x + 1, y + 1],
  ] as const) {
    sum += (at(from, px, py, isCb ? 2 : 0) - lumaOf(px, py)) / (2 * (1 - (isCb ? kb : kr)));
  }
  return Math.round(128 + ((sum / 4) * 224) / 255);
}

/** Returns the pixel of `target` after `warped`, which covers the grid's area, has been blended into it. */
export function blendedPixel(
  target: Pixels,
  warped: Pixels,
  grid: CoarseGrid,
  fields: BlendFields,
  match: ColourMatch,
  eyeGain: number,
  x: number,
  y: number,
): number[] {
  const here = [0, 1, 2, 3].map((channel) => at(target, x, y, channel));
  const [inX, inY] = [x - grid.area.x, y - grid.area.y];
  if (!isInside(grid.area, x, y) || at(warped, inX, inY, 3) === 0) return here;
  const field = (values: Float32Array): number => fieldAt(values, grid, inX + 0.5, inY + 0.5);
  const show = field(fields.opacity);
  if (show <= 1 / 512) return here;
  const [red = 0, green = 0, blue = 0] = [0, 1, 2].map((channel) => at(warped, inX, inY, channel));
  const old = { luma: 0.299 * red + 0.587 * green + 0.114 * blue, cb: 0, cr: 0 };
  old.cb = 0.564 * (blue - old.luma);
  old.cr = 0.713 * (red - old.luma);
  const matched = match.curve[Math.floor(old.luma)] ?? 0;
  const skinCb = matched * match.to.cb + (old.cb - old.luma * match.from.cb) * match.chromaGain;
  const skinCr = matched * match.to.cr + (old.cr - old.luma * match.from.cr) * match.chromaGain;
  const light = field(fields.light);
  let luma = matched * light + field(fields.luma);
  let cb = Math.min(skinCb, Math.max(old.cb, 0)) + field(fields.cb);
  let cr = Math.max(skinCr, Math.min(old.cr, 0)) + field(fields.cr);
  const zone = field(fields.eyes);
  const white = clamp((old.luma - match.eyeWhiteLuma) / 20, 0, 1) * clamp(2 * zone, 0, 1);
  const eye = Math.max(white, clamp(5 * zone - 4, 0, 1));
  luma = mix(luma, old.luma * eyeGain * Math.min(light, 1), eye);
  cb = mix(cb, match.eyeChroma * old.cb, eye);
  cr = mix(cr, match.eyeChroma * old.cr, eye);
  const fresh = [luma + 1.402 * cr, luma - 0.344 * cb - 0.714 * cr, luma + 1.772 * cb];
  const mixed = fresh.map((value, n) => clamp(Math.round(mix(here[n] ?? 0, value, show)), 0, 255));
  return [...mixed, here[3] ?? 0];
}

/** Interpolates a field linearly between the centres of the grid's cells. */
function fieldAt(values: Float32Array, { cell, columns, rows }: CoarseGrid, x: number, y: number): number {
  const gx = clamp(x / cell - 0.5, 0, columns - 1);
  const gy = clamp(y / cell - 0.5, 0, rows - 1);
  const [left, top] = [Math.floor(gx), Math.floor(gy)];
  const value = (column: number, row: number): number =>
    values[Math.min(rows - 1, row) * columns + Math.min(columns - 1, column)] ?? 0;
  const upper = mix(value(left, top), value(left + 1, top), gx - left);
  const lower = mix(value(left, top + 1), value(left + 1, top + 1), gx - left);
  return mix(upper, lower, gy - top);
}

function at({ width, height, data }: Pixels, x: number, y: number, channel: number): number {
  return data[(Math.min(y, height - 1) * width + Math.min(x, width - 1)) * 4 + channel] ?? 0;
}

function isInside(area: Rect, x: number, y: number): boolean {
  return x >= area.x && y >= area.y && x < area.x + area.width && y < area.y + area.height;
}

function mix(a: number, b: number, share: number): number {
  return a + share * (b - a);
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
