import { type FaceBox, landmarkBox } from '../face/face.ts';
import type { Pixels } from '../pixels.ts';

/**
 * The share of a face's box that is left out on each side. The rest contains eyes, nose and mouth, and rarely
 * hair.
 */
const INSET = 0.15;
/**
 * The number of analysed rows. Far fewer are not enough, because most edges are in the few rows of eyes and
 * lips.
 */
const ROWS_MAX = 400;
/** Squared differences below this value per pixel are noise, not edges. */
const EDGES_MIN = 1;
/**
 * The ratio of squared differences, adjacent pixels to pixels that are two apart, in a smooth gradient, where adjacent
 * pixels differ by half as much.
 */
const EVEN = 0.25;
/** The measured amount by which the ratio exceeds `EVEN` in a face that needs a scale of 1. */
const PER_SHRINK = 0.094;
/** The limits of the scale. Beyond them, single pixels of the face would become visible. */
const SHRINK_MIN = 0.4;
const SHRINK_MAX = 1.5;

/**
 * Returns the scale, 0.4 to 1.5, at which a sharp face looks as sharp as the one with these landmarks in `picture`. It
 * is below 1 if the picture is soft, out of focus or enlarged, because a sharp face would look pasted on. The amount of
 * detail, such as freckles or smooth skin, does not matter.
 */
export function matchingShrink(picture: Pixels, landmarks: Float32Array): number {
  const { left, right, top, bottom } = middleOf(landmarkBox(landmarks), picture);
  const rowStep = Math.max(1, Math.ceil((bottom - top) / ROWS_MAX));
  const { width, data } = picture;
  let [near, far, count] = [0, 0, 0];
  for (let y = top; y < bottom; y += rowStep) {
    for (let at = (y * width + left) * 4 + 1, end = at + (right - left) * 4; at < end; at += 4, count++) {
      const here = data[at] ?? 0;
      near += (here - (data[at + 4] ?? 0)) ** 2 + (here - (data[at + width * 4] ?? 0)) ** 2;
      far += (here - (data[at + 8] ?? 0)) ** 2 + (here - (data[at + width * 8] ?? 0)) ** 2;
    }
  }
  if (far < EDGES_MIN * count || count === 0) return SHRINK_MAX;
  return Math.min(SHRINK_MAX, Math.max(SHRINK_MIN, (near / far - EVEN) / PER_SHRINK));
}

/**
 * Returns the analysed area in whole pixels, at least two pixels away from the right and lower edges of the
 * picture.
 */
function middleOf(
  { x, y, width, height }: FaceBox,
  picture: Pixels,
): { left: number; right: number; top: number; bottom: number } {
  return {
    left: Math.max(0, Math.round(x + INSET * width)),
    right: Math.min(picture.width - 2, Math.round(x + (1 - INSET) * width)),
    top: Math.max(0, Math.round(y + INSET * height)),
    bottom: Math.min(picture.height - 2, Math.round(y + (1 - INSET) * height)),
  };
}
