import type { Pixels, Rect } from '../pixels.ts';
import { stretchMembrane } from '../swap/stretch-membrane.ts';
import { smoothStep } from '../smooth-step.ts';
import { FieldReader, grownField, shrunkTimes } from './field-reader.ts';
import type { PersonParts } from './person-parts.ts';

/**
 * A head separated from its picture. `colour` contains only the head's own colours, extended beyond its edge.
 */
interface HeadMatte {
  readonly area: Rect;
  /** The area as RGB as if only the head were visible; alpha is 255. */
  readonly colour: Uint8Array;
  /** The head's share of each pixel, 0 to 1. */
  readonly alpha: Float32Array;
}

/** The distance outside the edge within which strands of hair mix with the background, in eye distances. */
const BAND = 0.13;
/** The RGB distance at which the colours of the head and the background can be separated reliably. */
const CONTRAST = 34;
/**
 * The number of iterations of `stretchMembrane`. Few are enough, because pixels with a known colour are never far from
 * the band along the edge.
 */
const QUICK = 2;

/**
 * Separates the head in `picture` from the background. Within a band along its edge, each pixel is treated as a mix of
 * the nearby colours of the head and the background. This gives strands of hair an alpha of their own and removes the
 * background from their colour.
 */
export function cutMatte(picture: Pixels, parts: PersonParts, eyeDistance: number): HeadMatte {
  const { grid, head } = parts;
  const { area } = grid;
  const reach = Math.max(1, (BAND * eyeDistance) / grid.cell);
  const core = shrunkTimes(head, grid, 1);
  const halo = grownField(head, grid, reach);
  const size = area.width * area.height;
  const [inside, outside, guess] = [new Float32Array(size), new Float32Array(size), new Float32Array(size)];
  const reader = new FieldReader(grid);
  for (let y = 0; y < area.height; y++) {
    const row = y * area.width;
    reader.row(y);
    reader.read(core, inside.subarray(row, row + area.width));
    reader.read(halo, outside.subarray(row, row + area.width));
    reader.read(head, guess.subarray(row, row + area.width));
  }
  for (let n = 0; n < size; n++) {
    inside[n] = (inside[n] ?? 0) > 0.6 ? 1 : 0;
    outside[n] = (outside[n] ?? 0) < 0.4 ? 1 : 0;
  }
  return unmix(picture, area, { inside, outside, guess });
}

interface Trimap {
  readonly inside: Float32Array;
  readonly outside: Float32Array;
  readonly guess: Float32Array;
}

function unmix(picture: Pixels, area: Rect, { inside, outside, guess }: Trimap): HeadMatte {
  const planes = [0, 1, 2].map((channel) => plane(picture, area, channel));
  const near = planes.map((values) => stretchMembrane(area.width, area.height, values, inside, QUICK));
  const far = planes.map((values) => stretchMembrane(area.width, area.height, values, outside, QUICK));
  const colour = new Uint8Array(guess.length * 4);
  const alpha = new Float32Array(guess.length);
  for (let n = 0; n < guess.length; n++) {
    const share = inside[n] ? 1 : outside[n] ? 0 : shareOf(n, planes, near, far, guess[n] ?? 0);
    alpha[n] = share;
    for (let channel = 0; channel < 3; channel++) {
      const seen = planes[channel]?.[n] ?? 0;
      const own = near[channel]?.[n] ?? 0;
      const behind = far[channel]?.[n] ?? 0;
      const freed = share > 0.3 ? (seen - (1 - share) * behind) / share : own;
      const trust = smoothStep(0.3, 0.95, share);
      colour[n * 4 + channel] = Math.min(255, Math.max(0, own + trust * (freed - own) + 0.5));
    }
    colour[n * 4 + 3] = 255;
  }
  return { area, colour, alpha };
}

/** Returns the head's share of a pixel whose colour is a mix of the background's and the head's colours. */
function shareOf(
  n: number,
  seen: readonly Float32Array[],
  near: readonly Float32Array[],
  far: readonly Float32Array[],
  guess: number,
): number {
  let [along, length] = [0, 0];
  for (let channel = 0; channel < 3; channel++) {
    const behind = far[channel]?.[n] ?? 0;
    const way = (near[channel]?.[n] ?? 0) - behind;
    along += way * ((seen[channel]?.[n] ?? 0) - behind);
    length += way * way;
  }
  const trust = length / (length + CONTRAST * CONTRAST);
  const mixed = Math.min(1, Math.max(0, along / Math.max(length, 1)));
  // If no part of the head is near, a background in the head's colour is still background.
  const share = trust * mixed * smoothStep(0, 0.12, guess) + (1 - trust) * smoothStep(0.35, 0.65, guess);
  return smoothStep(0.04, 0.96, share);
}

function plane({ width, data }: Pixels, area: Rect, channel: number): Float32Array {
  const values = new Float32Array(area.width * area.height);
  for (let y = 0, n = 0; y < area.height; y++) {
    let at = ((area.y + y) * width + area.x) * 4 + channel;
    for (let x = 0; x < area.width; x++, n++, at += 4) values[n] = data[at] ?? 0;
  }
  return values;
}
