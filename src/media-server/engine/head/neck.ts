import { FACE_OVAL } from '../face/mesh-topology.ts';
import { cellCentre } from '../swap/coarse-grid.ts';
import { faceFrame } from '../swap/face-frame.ts';
import { Polygon, smoothstep } from '../swap/polygon.ts';
import type { PersonColours, PersonParts } from './person-parts.ts';

/** The skin below a jaw, per cell of the parts' grid. */
export interface Neck {
  /** How likely the cell is bare skin rather than hair, 0 to 1; 0 above the jaw and outside the head. */
  readonly skin: Float32Array;
  /** Distance below the jaw in eye distances; 0 above it. */
  readonly below: Float32Array;
}

/** Finds the neck: what of the head lies below the jaw and has the face's colours rather than the hair's. */
export function findNeck(
  { grid, colours, head }: PersonParts,
  landmarks: Float32Array,
  known: PersonColours,
): Neck {
  const skin = new Float32Array(head.length);
  const below = new Float32Array(head.length);
  const frame = faceFrame(landmarks);
  const { unit } = frame;
  const oval = new Polygon(landmarks, FACE_OVAL);
  const chin = frame.up(landmarks[152 * 3] ?? 0, landmarks[152 * 3 + 1] ?? 0);
  for (let n = 0; n < head.length; n++) {
    const { x, y } = cellCentre(grid, n % grid.columns, Math.floor(n / grid.columns));
    const height = (frame.up(x, y) - chin) / unit;
    if (height > 1) continue;
    const outside = -oval.depth(x, y) / unit;
    if (outside <= 0) continue;
    below[n] = outside * smoothstep(1, 0.35, height);
    if ((head[n] ?? 0) < 0.02) continue;
    const [luma = 0, cb = 0, cr = 0] = [colours.luma[n], colours.cb[n], colours.cr[n]];
    const across = Math.abs(frame.across(x, y)) / unit;
    const odds = 0.1 + 4 * (1 - smoothstep(0.5, 1, across));
    const asSkin = (known.skin?.logDensity(luma, cb, cr) ?? 0) + Math.log(odds);
    const asHair = known.hair?.logDensity(luma, cb, cr) ?? -60;
    skin[n] = (head[n] ?? 0) / (1 + Math.exp(Math.min(30, asHair - asSkin)));
  }
  return { skin, below };
}
