import type { CellColours, CoarseGrid } from '../swap/coarse-grid.ts';
import { stretchMembrane } from '../swap/stretch-membrane.ts';
import { smoothStep } from '../smooth-step.ts';

/** Y, Cb and Cr of each cell. */
export type CellFields = Pick<CellColours, 'luma' | 'cb' | 'cr'>;

/** One layer of a picture, such as the body, with its visibility per cell, 0 to 1. */
interface Layer {
  readonly seen: Float32Array;
  /** How readily the layer extends into unknown areas, up to 1. */
  readonly readiness: number;
}

const CHANNELS = ['luma', 'cb', 'cr'] as const;
/** How sharp the border between two layers is. */
const SHARPNESS = 24;

/**
 * Returns the layers of a portrait. Shoulders and neck extend under hair less readily than the background.
 */
export function layersOf(background: Float32Array, body: Float32Array, skin: Float32Array): readonly Layer[] {
  return [
    { seen: background, readiness: 1 },
    { seen: body, readiness: 0.52 },
    { seen: skin, readiness: 0.75 },
  ];
}

/**
 * Continues the `known` cells (0 to 1) smoothly over the others, each layer separately, and extends the
 * borders between layers, such as the line of a shoulder.
 */
export function inpaintCells(
  { columns, rows }: CoarseGrid,
  colours: CellFields,
  known: Float32Array,
  layers: readonly Layer[],
  relaxations?: number,
): CellFields {
  const out: CellFields = {
    luma: new Float32Array(known.length),
    cb: new Float32Array(known.length),
    cr: new Float32Array(known.length),
  };
  const total = new Float64Array(known.length);
  for (const { seen, readiness } of layers) {
    const sure = known.map((value, n) => value * smoothStep(0.5, 0.95, seen[n] ?? 0));
    if (!sure.some((value) => value > 0.5)) continue;
    const share = Float64Array.from(
      stretchMembrane(columns, rows, seen, known, relaxations),
      (value) => Math.min(1, readiness * Math.max(0, value)) ** SHARPNESS + 1e-24,
    );
    for (let n = 0; n < total.length; n++) total[n] = (total[n] ?? 0) + (share[n] ?? 0);
    for (const channel of CHANNELS) {
      const continued = stretchMembrane(columns, rows, colours[channel], sure, relaxations);
      const field = out[channel];
      for (let n = 0; n < field.length; n++)
        field[n] = (field[n] ?? 0) + (share[n] ?? 0) * (continued[n] ?? 0);
    }
  }
  for (const channel of CHANNELS) {
    const field = out[channel];
    for (let n = 0; n < field.length; n++) field[n] = (field[n] ?? 0) / Math.max(total[n] ?? 0, 1e-30);
  }
  return out;
}
