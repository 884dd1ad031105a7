import type { ClipFrame } from '../../media-server/engine/clip-frames.ts';

/** The side of a block in pixels, large enough to survive two JPEG encodings. */
const BLOCK = 16;
const BITS = 6;

/** The number of pictures that can be distinguished. */
export const NUMBERS: number = 2 ** BITS;

/**
 * Writes the picture's number into its upper left corner: a white block for each set bit, and a black one for each
 * other bit.
 */
export function putNumber({ pixels: { width, data } }: ClipFrame, number: number): void {
  for (let bit = 0; bit < BITS; bit++) {
    const value = (number >> bit) & 1 ? 255 : 0;
    for (let y = 0; y < BLOCK; y++) {
      const from = (y * width + bit * BLOCK) * 4;
      for (let at = from; at < from + BLOCK * 4; at++) if (at % 4 < 3) data[at] = value;
    }
  }
}

/** A script for a page: an async function that reads the number from a JPEG. */
export const READ_NUMBER: string = `async (jpeg) => {
  const picture = await createImageBitmap(new Blob([jpeg], { type: 'image/jpeg' }));
  const canvas = new OffscreenCanvas(${BITS * BLOCK}, ${BLOCK});
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.drawImage(picture, 0, 0);
  picture.close();
  let number = 0;
  for (let bit = 0; bit < ${BITS}; bit++) {
    const [value] = context.getImageData(bit * ${BLOCK} + ${BLOCK / 2}, ${BLOCK / 2}, 1, 1).data;
    if (value > 127) number += 1 << bit;
  }
  return number;
}`;
