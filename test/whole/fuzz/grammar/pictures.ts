import sharp, { type Sharp } from 'sharp';

const WIDTH = 24;
const HEIGHT = 16;

/** Draws a small picture. */
export function picture(channels: 3 | 4 = 3): Sharp {
  const data = Buffer.from(Array.from({ length: WIDTH * HEIGHT * channels }, (_none, at) => (at * at) % 251));
  return sharp(data, { raw: { width: WIDTH, height: HEIGHT, channels } });
}

/** Draws three frames, one below the other as sharp requires. */
export function frames(): Sharp {
  const data = Buffer.from(Array.from({ length: WIDTH * HEIGHT * 4 * 3 }, (_none, at) => (at * 7) % 253));
  return sharp(data, { raw: { width: WIDTH, height: HEIGHT * 3, channels: 4, pageHeight: HEIGHT } });
}
