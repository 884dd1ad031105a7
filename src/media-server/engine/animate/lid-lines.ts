import { type Eyelids, LEFT_LIDS, RIGHT_LIDS } from '../face/eyelids.ts';
import type { Pixels } from '../pixels.ts';
import { pointOf } from './head-axes.ts';
import type { Colour } from './mouth-look.ts';
import { clamp } from '../clamp.ts';
import { smoothStep } from '../smooth-step.ts';

const LEFT_LINE = upperLine(LEFT_LIDS);
const RIGHT_LINE = upperLine(RIGHT_LIDS);
/** Half the width of the lash line on a closed lid, in eye distances. */
const HALF_WIDTH = 0.013;

/** Returns the colour of the lashes in the portrait, measured where the lids meet the eyes. */
export function lashColour(picture: Pixels, landmarks: Float32Array): Colour {
  let [red, green, blue, count] = [0, 0, 0, 0];
  for (const point of [...LEFT_LINE, ...RIGHT_LINE]) {
    const [x, y] = pointOf(landmarks, point);
    if (!(x >= 0 && y >= 0 && x < picture.width && y < picture.height)) continue;
    const at = ((y | 0) * picture.width + (x | 0)) * 4;
    red += picture.data[at] ?? 0;
    green += picture.data[at + 1] ?? 0;
    blue += picture.data[at + 2] ?? 0;
    count++;
  }
  const share = 0.4 / Math.max(1, count);
  return [red * share, green * share, blue * share];
}

/**
 * Draws the lashes of closing lids along the edges of the upper lids, so that they also cover the gap that remains
 * between the lids. `landmarks` are the face's landmarks in `frame`, and `unit` is its eye distance.
 */
export function drawLidLines(
  frame: Pixels,
  landmarks: Float32Array,
  blinks: { readonly left: number; readonly right: number },
  { colour, unit }: { readonly colour: Colour; readonly unit: number },
): void {
  const lines = [
    { line: LEFT_LINE, blink: blinks.left },
    { line: RIGHT_LINE, blink: blinks.right },
  ];
  for (const { line, blink } of lines) {
    const strength = 0.85 * smoothStep(0.3, 0.9, blink);
    if (strength > 0)
      stroke(
        frame,
        line.map((point) => pointOf(landmarks, point)),
        { colour, strength, half: HALF_WIDTH * unit },
      );
  }
}

/** Returns the edge of the upper lid from corner to corner. */
function upperLine({ corners: [outer, inner], upper }: Eyelids): readonly number[] {
  return [outer, ...upper, inner];
}

function stroke(
  frame: Pixels,
  line: readonly (readonly [number, number, number])[],
  { colour, strength, half }: { colour: Colour; strength: number; half: number },
): void {
  const margin = half + 1;
  const xs = line.map(([x]) => x);
  const ys = line.map(([, y]) => y);
  const left = Math.max(0, Math.floor(Math.min(...xs) - margin));
  const right = Math.min(frame.width, Math.ceil(Math.max(...xs) + margin));
  const top = Math.max(0, Math.floor(Math.min(...ys) - margin));
  const bottom = Math.min(frame.height, Math.ceil(Math.max(...ys) + margin));
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const { distance, along } = nearest(line, x + 0.5, y + 0.5);
      // The line becomes thinner towards the corners of the eye.
      const width = half * (0.35 + 0.65 * Math.sin(Math.PI * clamp(along, 0, 1)));
      const cover = strength * clamp(width + 0.5 - distance, 0, 1);
      if (cover <= 0) continue;
      const at = (y * frame.width + x) * 4;
      for (let channel = 0; channel < 3; channel++) {
        const under = frame.data[at + channel] ?? 0;
        frame.data[at + channel] = under + cover * ((colour[channel] ?? 0) - under);
      }
    }
  }
}

/** Returns a point's distance from the line, and the position of the nearest point along the line, 0 to 1. */
function nearest(
  line: readonly (readonly [number, number, number])[],
  x: number,
  y: number,
): { distance: number; along: number } {
  let [best, along] = [Infinity, 0];
  for (let n = 0; n + 1 < line.length; n++) {
    const [[ax, ay] = [0, 0], [bx, by] = [0, 0]] = [line[n], line[n + 1]];
    const [dx, dy] = [bx - ax, by - ay];
    const share = clamp(((x - ax) * dx + (y - ay) * dy) / Math.max(1e-6, dx * dx + dy * dy), 0, 1);
    const distance = Math.hypot(x - ax - share * dx, y - ay - share * dy);
    if (distance < best) [best, along] = [distance, (n + share) / (line.length - 1)];
  }
  return { distance: best, along };
}
