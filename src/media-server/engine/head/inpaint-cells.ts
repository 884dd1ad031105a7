import type { CellColours, CoarseGrid } from '../swap/coarse-grid.ts';
import { stretchMembrane } from '../swap/membrane.ts';
import { smoothstep } from '../swap/polygon.ts';

/** Y, Cb and Cr per cell. */
export type CellFields = Pick<CellColours, 'luma' | 'cb' | 'cr'>;

const CHANNELS = ['luma', 'cb', 'cr'] as const;

/**
 * Continues what is `known` (0 to 1 per cell) smoothly over the rest, body and background each by itself, with the
 * line between them, such as a shoulder's, drawn on.
 */
export function inpaintCells(
  { columns, rows }: CoarseGrid,
  colours: CellFields,
  known: Float32Array,
  body: Float32Array,
): CellFields {
  const isBody = stretchMembrane(columns, rows, body, known).map((value) => smoothstep(0.36, 0.64, value));
  const front = known.map((value, n) => value * smoothstep(0.6, 0.95, body[n] ?? 0));
  const behind = known.map((value, n) => value * smoothstep(0.4, 0.05, body[n] ?? 0));
  const [luma, cb, cr] = CHANNELS.map((channel) => {
    const near = stretchMembrane(columns, rows, colours[channel], front);
    const far = stretchMembrane(columns, rows, colours[channel], behind);
    return far.map((value, n) => value + (isBody[n] ?? 0) * ((near[n] ?? 0) - value));
  });
  if (!luma || !cb || !cr) throw new TypeError('Cannot continue a picture without colours');
  return { luma, cb, cr };
}
