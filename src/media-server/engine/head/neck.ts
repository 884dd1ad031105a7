import { type CoarseGrid, blurField, cellCentre } from '../swap/coarse-grid.ts';
import { faceFrame } from '../swap/face-frame.ts';
import { smoothStep } from '../smooth-step.ts';
import { grownField } from './field-reader.ts';
import { joinedCells } from './joined-cells.ts';
import type { PersonColours, PersonParts } from './person-parts.ts';

/** The area below a jaw, per cell of the parts' grid, 0 to 1. */
export interface Neck {
  /** Distance below the jaw in eye distances; 0 above it. */
  readonly below: Float32Array;
  /** The share of bare skin, which is 0 above the jaw. */
  readonly skin: Float32Array;
  /** Hair that hangs down from the head; 0 above the jaw. */
  readonly hair: Float32Array;
  /** Clothes and background beside the neck that are shaded by hanging hair or visible through it; 0 above the jaw. */
  readonly behindHair: Float32Array;
  /**
   * The area in which the neck continues upwards behind the jaw. It becomes visible if the new face is narrower than
   * the replaced one.
   */
  readonly column: Float32Array;
}

/** Everything higher than this above the chin, in eye distances, belongs to the head. */
const JAW_HEIGHT = 1;
/**
 * Hair counts as beside the neck if it is more than `BESIDE_NECK` eye distances from the middle of the face. The
 * person's hair counts as long if more than `HANGING_MIN` square eye distances of the hair beside the neck hang lower
 * than `HANGS_BELOW` eye distances above the chin.
 */
const BESIDE_NECK = 0.9;
const HANGS_BELOW = 0.3;
const HANGING_MIN = 0.12;
/**
 * Areas within `reach` of hanging hair that are not skin count as behind the hair. The confidence grows from 0 at the
 * distance `from` to 1 at the distance `to`, both measured from the middle of the face. All values are in eye
 * distances.
 */
const BEHIND_HAIR = { reach: 0.4, from: 0.45, to: 0.8 };
/** The shadows to consider below a jaw, each with its brightness and its log likelihood. */
const SHADES = [
  { light: 0.8, likelihood: -1 },
  { light: 0.6, likelihood: -3 },
] as const;
/** The height of the neck behind the jaw, and how far outside the jaw it may be visible, in eye distances. */
const COLUMN_HEIGHT = 0.55;
const COLUMN_MARGIN = 0.05;
/** The log density of a colour that no class contains. */
const UNLIKELY = -40;

/** Distinguishes the neck from hanging hair by the colours of this person. */
export function findNeck(parts: PersonParts, landmarks: Float32Array, known: PersonColours): Neck {
  const { grid, head, depth } = parts;
  const below = new Float32Array(head.length);
  const skin = new Float32Array(head.length);
  const strands = new Float32Array(head.length);
  const others = new Float32Array(head.length);
  const heights = new Float32Array(head.length);
  const sideways = new Float32Array(head.length);
  const frame = faceFrame(landmarks);
  const { unit } = frame;
  const chin = frame.up(landmarks[152 * 3] ?? 0, landmarks[152 * 3 + 1] ?? 0);
  for (let n = 0; n < head.length; n++) {
    const { x, y } = cellCentre(grid, n % grid.columns, Math.floor(n / grid.columns));
    const height = (frame.up(x, y) - chin) / unit;
    heights[n] = height;
    sideways[n] = Math.abs(frame.across(x, y)) / unit;
    if (height > JAW_HEIGHT + 0.6) continue;
    const outside = -(depth[n] ?? 0);
    if (outside <= 0) continue;
    const share = head[n] ?? 0;
    below[n] = outside * smoothStep(JAW_HEIGHT, 0.35, height);
    if (share < 0.02) continue;
    const across = sideways[n] ?? 0;
    const { hair, other } = hairAndOther(parts, n, known, across);
    strands[n] = share * hair;
    if (height >= JAW_HEIGHT) continue;
    others[n] = other * smoothStep(BEHIND_HAIR.from, BEHIND_HAIR.to, across);
    skin[n] = share * (1 - hair - (others[n] ?? 0));
  }
  const fromHead = (n: number): boolean => (heights[n] ?? 0) > JAW_HEIGHT - 0.1;
  const isStrand = (n: number): boolean => (strands[n] ?? 0) > 0.4;
  const beside = joinedCells(grid, fromHead, (n) => isStrand(n) && (sideways[n] ?? 0) > BESIDE_NECK);
  // A shadowed neck looks like dark hair. Hair is therefore assumed on the neck only if some also hangs beside it.
  const besideSize = beside.reduce((sum, value, n) => sum + ((heights[n] ?? 0) < HANGS_BELOW ? value : 0), 0);
  const isLong = besideSize * (grid.cell / unit) ** 2 > HANGING_MIN;
  const joined = isLong ? joinedCells(grid, fromHead, isStrand) : beside;
  const hanging = grownField(joined, grid, 1);
  const hair = strands.map((value, n) => ((heights[n] ?? 0) < JAW_HEIGHT ? value * (hanging[n] ?? 0) : 0));
  blurField(hair, grid, 1);
  const shade = grownField(joined, grid, (BEHIND_HAIR.reach * unit) / grid.cell);
  const behindHair = others.map((value, n) => value * (shade[n] ?? 0));
  const column = continueUpwards(grid, skin, below, COLUMN_HEIGHT * unit).map((value, n) =>
    -(depth[n] ?? 0) < COLUMN_MARGIN ? value : 0,
  );
  blurField(column, grid, 1);
  return { below, skin, hair, behindHair, column };
}

function continueUpwards(
  { columns, rows, cell }: CoarseGrid,
  skin: Float32Array,
  below: Float32Array,
  height: number,
): Float32Array {
  const column = new Float32Array(skin.length);
  const steps = Math.round(height / cell);
  for (let x = 0; x < columns; x++) {
    let left = 0;
    for (let n = (rows - 1) * columns + x; n >= 0; n -= columns) {
      left = (skin[n] ?? 0) > 0.5 && (below[n] ?? 0) > 0.04 ? steps : left - 1;
      if (left > 0) column[n] = 1;
    }
  }
  return column;
}

/**
 * Returns how likely a cell is to be hair, and how likely to be clothes or background, rather than skin. Directly below
 * the face, skin is taken to be likely.
 */
function hairAndOther(
  { colours }: PersonParts,
  n: number,
  { skin, hair, body, background }: PersonColours,
  across: number,
): { hair: number; other: number } {
  const [luma = 0, cb = 0, cr = 0] = [colours.luma[n], colours.cb[n], colours.cr[n]];
  const middle = 1 - smoothStep(0.5, 1, across);
  const odds = Math.log(0.05 + 40 * middle);
  const asHair = hair?.logDensity(luma, cb, cr) ?? UNLIKELY;
  let asSkin = (skin?.logDensity(luma, cb, cr) ?? UNLIKELY) + odds;
  if (skin && middle > 0 && asSkin < asHair) {
    for (const { light, likelihood } of SHADES) {
      const shaded = skin.logDensity(luma / light, cb / light, cr / light) + likelihood;
      asSkin = Math.max(asSkin, shaded + (1 - middle) * UNLIKELY + odds);
    }
  }
  const asBody = body?.logDensity(luma, cb, cr) ?? UNLIKELY;
  const shareOfHair = share(asHair - Math.max(asSkin, asBody));
  if (across < BEHIND_HAIR.from) return { hair: shareOfHair, other: 0 };
  const asOther = Math.max(asBody, background?.logDensity(luma, cb, cr) ?? UNLIKELY);
  return { hair: shareOfHair, other: (1 - shareOfHair) * share(asOther - asSkin) };
}

function share(logOdds: number): number {
  return 1 / (1 + Math.exp(-Math.max(-30, logOdds)));
}
