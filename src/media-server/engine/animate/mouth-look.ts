import type { Pixels } from '../pixels.ts';
import { LOWER_LIP, UPPER_LIP } from './lip-rows.ts';

/** A colour as red, green and blue, each 0 to 255. */
export type Colour = readonly [number, number, number];

/** The colours inside a mouth, in the light that falls on the face. */
export interface MouthLook {
  readonly teeth: Colour;
  readonly tongue: Colour;
  readonly cavity: Colour;
}

/** Points on the skin around the mouth and on the cheeks, where the light is the same as at the mouth. */
const SKIN_POINTS: readonly number[] = [50, 280, 205, 425, 164, 18, 200, 101, 330];

/** Measures the brightness and the warmth of the light on the face, and returns a mouth's colours in that light. */
export function mouthLook(picture: Pixels, landmarks: Float32Array): MouthLook {
  const skin = average(picture, landmarks, SKIN_POINTS);
  const lips = average(picture, landmarks, [...(UPPER_LIP[1] ?? []), ...(LOWER_LIP[1] ?? [])]);
  // Skin reflects between a fifth and two thirds of the light, whereas teeth differ far less from person to
  // person. Therefore the brightness of the skin counts only in part.
  const light = Math.min(1, 0.6 + 0.4 * (luma(skin) / 190));
  const teeth: Colour = [226 * light, 216 * light, 198 * light];
  const tongue: Colour = [
    (0.45 * lips[0] + 82) * light,
    (0.4 * lips[1] + 24) * light,
    (0.4 * lips[2] + 26) * light,
  ];
  return { teeth, tongue, cavity: [38 * light, 14 * light, 13 * light] };
}

function average(
  { width, height, data }: Pixels,
  landmarks: Float32Array,
  points: readonly number[],
): Colour {
  let [red, green, blue, count] = [0, 0, 0, 0];
  for (const point of points) {
    const x = Math.round(landmarks[point * 3] ?? 0);
    const y = Math.round(landmarks[point * 3 + 1] ?? 0);
    if (!(x >= 0 && y >= 0 && x < width && y < height)) continue;
    const at = (y * width + x) * 4;
    red += data[at] ?? 0;
    green += data[at + 1] ?? 0;
    blue += data[at + 2] ?? 0;
    count++;
  }
  return count === 0 ? [150, 110, 95] : [red / count, green / count, blue / count];
}

function luma([red, green, blue]: Colour): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}
