import type { Pixels } from '../pixels.ts';
import { type HeadAxes, type Vector, minus, plus, pointOf, times } from './head-axes.ts';
import { LOWER_EDGE, UPPER_EDGE } from './lip-rows.ts';
import type { Colour, MouthLook } from './mouth-look.ts';
import { clamp } from '../clamp.ts';
import { smoothStep } from '../smooth-step.ts';

/** The positions of the teeth and tongue, in eye distances below the line between the corners of the closed mouth. */
export interface MouthInside {
  /**
   * The visibility of the interior, 0 to 1. With 0, the picture's own pixels stay visible between the lips.
   */
  readonly show: number;
  /** Lower edge of the upper front teeth, which move with the skull. */
  readonly upperTeeth: number;
  /** The upper edge of the lower front teeth, which move with the jaw. */
  readonly lowerTeeth: number;
  /** The top of the tongue. */
  readonly tongue: number;
}

/** The edges of the open mouth, in pixels across and down the face from the middle of the closed mouth. */
interface Opening {
  readonly left: number;
  readonly right: number;
  /** How far down each edge is, at evenly spaced positions from left to right. */
  readonly upper: Float32Array;
  readonly lower: Float32Array;
}

const COLUMNS = 48;
/**
 * Nothing is drawn between lips that are closer together than this share of the eye distance. The picture's own pixels
 * already show the shadow there.
 */
const GAP_MIN = 0.006;

/**
 * Draws the interior of the mouth into `frame`. `landmarks` are the positions of the lips, and `middle` is the position
 * of the closed mouth's middle in this head pose. Lips that touch leave the frame unchanged.
 */
export function drawMouthInterior(
  frame: Pixels,
  landmarks: Float32Array,
  place: { readonly axes: HeadAxes; readonly middle: Vector },
  inside: MouthInside,
  look: MouthLook,
): void {
  const { axes, middle } = place;
  const { unit } = axes;
  const local = localFrame(axes);
  const opening = openingOf(landmarks, middle, local);
  const widest = maxGap(opening);
  if (!(widest > GAP_MIN * unit && inside.show > 0)) return;
  const bounds = boundsOf(landmarks, frame);
  const shade = shader(opening, inside, look, { unit, widest });
  const strength = inside.show * smoothStep(GAP_MIN * unit, 3 * GAP_MIN * unit, widest);
  // Extends the drawing over the edges of the lips, because the landmarks are slightly off.
  const overlap = 0.4 + 0.014 * unit;
  const columnWidth = (opening.right - opening.left) / (COLUMNS - 1);
  const colour: [number, number, number] = [0, 0, 0];
  for (let y = bounds.top; y < bounds.bottom; y++) {
    for (let x = bounds.left; x < bounds.right; x++) {
      const dx = x + 0.5 - middle[0];
      const dy = y + 0.5 - middle[1];
      const across = dx * local.ax + dy * local.ay;
      const down = dx * local.dx + dy * local.dy;
      const column = (across - opening.left) / columnWidth;
      if (!(column >= 0 && column <= COLUMNS - 1)) continue;
      const upper = at(opening.upper, column);
      const lower = at(opening.lower, column);
      const reach = overlap * clamp((lower - upper) / (4 * overlap), 0, 1);
      const cover = clamp(down - upper + reach, 0, 1) * clamp(lower - down + reach, 0, 1) * strength;
      if (!(cover > 0.01)) continue;
      shade(across, down, upper, lower, colour);
      const to = (y * frame.width + x) * 4;
      for (let channel = 0; channel < 3; channel++) {
        const under = frame.data[to + channel] ?? 0;
        frame.data[to + channel] = under + cover * ((colour[channel] ?? 0) - under) + 0.5;
      }
    }
  }
}

interface LocalFrame {
  readonly ax: number;
  readonly ay: number;
  readonly dx: number;
  readonly dy: number;
}

/** Maps picture pixels to pixels across and down the face, undoing the foreshortening of a turned head. */
function localFrame({ right, down }: HeadAxes): LocalFrame {
  const [a, b, c, d] = [right[0], down[0], right[1], down[1]];
  const det = a * d - b * c;
  const safe = Math.abs(det) < 0.2 ? 0.2 : det;
  return { ax: d / safe, ay: -b / safe, dx: -c / safe, dy: a / safe };
}

function openingOf(landmarks: Float32Array, middle: Vector, local: LocalFrame): Opening {
  const trace = (edge: readonly number[]): { across: number; down: number }[] =>
    edge.map((point) => {
      const [x, y] = minus(pointOf(landmarks, point), middle);
      return { across: x * local.ax + y * local.ay, down: x * local.dx + y * local.dy };
    });
  const [upper, lower] = [trace(UPPER_EDGE), trace(LOWER_EDGE)];
  const left = Math.min(upper[0]?.across ?? 0, lower[0]?.across ?? 0);
  const right = Math.max(upper.at(-1)?.across ?? 0, lower.at(-1)?.across ?? 0);
  return { left, right, upper: heights(upper, left, right), lower: heights(lower, left, right) };
}

function heights(
  edge: readonly { across: number; down: number }[],
  left: number,
  right: number,
): Float32Array {
  const values = new Float32Array(COLUMNS);
  let n = 0;
  for (let column = 0; column < COLUMNS; column++) {
    const across = left + ((right - left) * column) / (COLUMNS - 1);
    while (n < edge.length - 2 && (edge[n + 1]?.across ?? 0) < across) n++;
    const [from, to] = [edge[n], edge[n + 1]];
    if (!from || !to) continue;
    const share = clamp((across - from.across) / Math.max(1e-6, to.across - from.across), 0, 1);
    values[column] = from.down + share * (to.down - from.down);
  }
  return values;
}

function maxGap({ upper, lower }: Opening): number {
  let widest = 0;
  for (let n = 0; n < COLUMNS; n++) widest = Math.max(widest, (lower[n] ?? 0) - (upper[n] ?? 0));
  return widest;
}

function at(values: Float32Array, column: number): number {
  const left = Math.min(COLUMNS - 2, column | 0);
  const share = column - left;
  return (values[left] ?? 0) * (1 - share) + (values[left + 1] ?? 0) * share;
}

function boundsOf(
  landmarks: Float32Array,
  { width, height }: Pixels,
): { left: number; right: number; top: number; bottom: number } {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const point of [...UPPER_EDGE, ...LOWER_EDGE]) {
    const [x, y] = pointOf(landmarks, point);
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return {
    left: Math.max(0, Math.floor(left) - 1),
    right: Math.min(width, Math.ceil(right) + 1),
    top: Math.max(0, Math.floor(top) - 1),
    bottom: Math.min(height, Math.ceil(bottom) + 1),
  };
}

type Shader = (
  across: number,
  down: number,
  upper: number,
  lower: number,
  colour: [number, number, number],
) => void;

/**
 * Returns a function that draws the cavity, tongue, lower teeth and upper teeth, and then the lips' shadow over them.
 */
function shader(
  opening: Opening,
  inside: MouthInside,
  { teeth, tongue, cavity }: MouthLook,
  { unit, widest }: { unit: number; widest: number },
): Shader {
  const soft = Math.max(1, 0.014 * unit);
  const halfWidth = Math.max(1, (opening.right - opening.left) / 2);
  const middle = (opening.left + opening.right) / 2;
  const archHalf = 0.42 * unit;
  return (across, down, upper, lower, colour) => {
    const side = (across - middle) / archHalf;
    const bow = side * side;
    const deep = smoothStep(0, 0.14 * unit, widest);
    mix(colour, cavity, 1);
    const tongueTop = inside.tongue * unit + 0.1 * unit * bow;
    const onTongue =
      smoothStep(tongueTop - 3 * soft, tongueTop + 4 * soft, down) *
      (1 - smoothStep(0.45, 0.95, Math.abs(side)));
    mix(colour, tongue, 0.85 * onTongue * deep);
    const lowerTop = inside.lowerTeeth * unit - 0.035 * unit * bow;
    const lowerShade = 0.62 * (1 - 0.75 * smoothStep(0.2, 0.8, Math.abs(side)));
    mix(colour, teeth, lowerShade * smoothStep(lowerTop - soft, lowerTop + soft, down));
    const upperEnd = inside.upperTeeth * unit - 0.05 * unit * bow;
    const upperShade = 0.93 * (1 - 0.7 * smoothStep(0.25, 0.95, Math.abs(side)));
    const onUpper = 1 - smoothStep(upperEnd - soft, upperEnd + soft, down);
    mix(colour, teeth, upperShade * onUpper * toothGaps(across - middle, unit));
    const shadow = 0.55 + 0.45 * smoothStep(0, 0.07 * unit, down - upper);
    const below = 0.75 + 0.25 * smoothStep(0, 0.03 * unit, lower - down);
    const corner = 0.45 + 0.55 * smoothStep(0, 0.35, 1 - Math.abs(across - middle) / halfWidth);
    const light = shadow * below * corner;
    // Light that comes through lips and cheeks is red.
    colour[0] *= light ** 0.85;
    colour[1] *= light ** 1.05;
    colour[2] *= light ** 1.15;
  };
}

/** Returns the brightness of the teeth at a position. It is lower in thin lines between the front teeth. */
function toothGaps(across: number, unit: number): number {
  const width = 0.135 * unit;
  const position = Math.abs(across) / width;
  const fromLine = Math.abs(position - Math.round(position)) * width;
  return 1 - 0.16 * (1 - smoothStep(0.2, Math.max(1.2, 0.018 * unit), fromLine));
}

function mix(colour: [number, number, number], over: Colour, share: number): void {
  for (let channel = 0; channel < 3; channel++)
    colour[channel] = (colour[channel] ?? 0) * (1 - share) + (over[channel] ?? 0) * share;
}

/** Returns where the middle of the mouth is when it is closed. The lips in `landmarks` may be open. */
export function mouthMiddle(landmarks: Float32Array): Vector {
  return times(plus(pointOf(landmarks, 78), pointOf(landmarks, 308)), 0.5);
}
