import { LOWER_EDGE, LOWER_LIP, UPPER_EDGE, UPPER_LIP } from '../animate/lip-rows.ts';
import type { Pixels } from '../pixels.ts';
import { Polygon } from '../swap/polygon.ts';
import { smoothStep } from '../smooth-step.ts';
import { lipGap } from './mouth-measures.ts';

const OUTLINE: readonly number[] = [...UPPER_EDGE, ...LOWER_EDGE.toReversed()];
const INNER_LIPS: readonly number[] = [...(UPPER_LIP[2] ?? []), ...(LOWER_LIP[2] ?? [])];
/**
 * A lip gap of up to `PARTED_FROM` eye distances is not darkened, because it is only a dark line anyway. A gap of
 * `PARTED_FULL` or more is darkened fully.
 */
const PARTED_FROM = 0.015;
const PARTED_FULL = 0.04;
/** The brightness of the shadow between the lips, relative to their colour. */
const SHADOW = 0.4;

/**
 * Removes teeth and tongue from the open mouth with these landmarks and leaves the shadow between the lips,
 * so that nothing else is visible when the mouth is then closed.
 */
export function darkenOpening(frame: Pixels, landmarks: Float32Array): void {
  const strength = smoothStep(PARTED_FROM, PARTED_FULL, lipGap(landmarks));
  if (strength === 0) return;
  const shadow = lipColour(frame, landmarks).map((value) => value * SHADOW);
  const opening = new Polygon(landmarks, OUTLINE);
  const top = Math.max(0, Math.floor(opening.top) - 1);
  const bottom = Math.min(frame.height, Math.ceil(opening.bottom) + 1);
  const left = Math.max(0, Math.floor(opening.left) - 1);
  const right = Math.min(frame.width, Math.ceil(opening.right) + 1);
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const cover = strength * Math.min(1, Math.max(0, opening.depth(x + 0.5, y + 0.5) + 1));
      if (cover === 0) continue;
      const at = (y * frame.width + x) * 4;
      for (let channel = 0; channel < 3; channel++) {
        const under = frame.data[at + channel] ?? 0;
        frame.data[at + channel] = under + cover * ((shadow[channel] ?? 0) - under);
      }
    }
  }
}

function lipColour({ width, height, data }: Pixels, landmarks: Float32Array): number[] {
  const sums = [0, 0, 0];
  let count = 0;
  for (const point of INNER_LIPS) {
    const x = Math.round(landmarks[point * 3] ?? 0);
    const y = Math.round(landmarks[point * 3 + 1] ?? 0);
    if (!(x >= 0 && y >= 0 && x < width && y < height)) continue;
    count++;
    for (const channel of sums.keys())
      sums[channel] = (sums[channel] ?? 0) + (data[(y * width + x) * 4 + channel] ?? 0);
  }
  return sums.map((sum) => sum / Math.max(1, count));
}
