import { landmarkBox } from '../face/face.ts';
import { LEFT_EYE, MIRRORED, RIGHT_EYE } from '../face/mesh-topology.ts';
import type { Pixels, Rect } from '../pixels.ts';
import { faceFrame } from './face-frame.ts';
import { Polygon } from './polygon.ts';
import { smoothStep } from '../smooth-step.ts';
import { type WarpMesh, warpTriangles } from './warp-triangles.ts';

/** The rotation in degrees at which the replacement of the far side starts, and at which it is complete. */
const TURN_MIN = 9;
const TURN_FULL = 20;
/**
 * The transition to the redrawn side is between these distances from the middle of the face, in eye distances, so that
 * nose and lips stay intact.
 */
const SEAM_FROM = 0.45;
const SEAM_TO = 0.95;

/**
 * Redraws the far side of `warped` (RGBA of `area`) from the mirrored near side of the source. This is necessary if the
 * source's head is turned further than the target's, because the source's far cheek then consists of a few stretched
 * pixels and background. The eye is not replaced, because the two eyes would then not match. `scratch` needs the size
 * of `warped`.
 */
export function fillFarSide(
  source: Pixels,
  mesh: WarpMesh,
  turnDegrees: number,
  area: Rect,
  warped: Uint8Array,
  scratch: Uint8Array,
): void {
  const strength = smoothStep(TURN_MIN, TURN_FULL, Math.abs(turnDegrees));
  if (strength === 0) return;
  const frame = faceFrame(mesh.to);
  const side = Math.sign(turnDegrees);
  const from = new Float32Array(mesh.from.length);
  for (let point = 0; point < MIRRORED.length; point++) {
    const other = (MIRRORED[point] ?? 0) * 3;
    from.set(mesh.from.subarray(other, other + 3), point * 3);
  }
  warpTriangles(source, { ...mesh, from }, area, scratch);
  const eye = new Polygon(mesh.to, side > 0 ? RIGHT_EYE : LEFT_EYE);
  const { left, top, right, bottom } = reachOf(mesh.to, area);
  for (let y = top; y < bottom; y++) {
    let at = (y * area.width + left) * 4;
    for (let x = left; x < right; x++, at += 4) {
      if (scratch[at + 3] === 0 || warped[at + 3] === 0) continue;
      const [px, py] = [area.x + x + 0.5, area.y + y + 0.5];
      let share = strength * smoothStep(SEAM_FROM, SEAM_TO, (frame.across(px, py) / frame.unit) * side);
      if (share === 0) continue;
      if (eye.near(px, py, 0.3 * frame.unit)) {
        share *= smoothStep(0.1 * frame.unit, 0.3 * frame.unit, -eye.depth(px, py));
      }
      for (let channel = 0; channel < 3; channel++) {
        const here = warped[at + channel] ?? 0;
        warped[at + channel] = here + share * ((scratch[at + channel] ?? 0) - here) + 0.5;
      }
    }
  }
}

/** Returns the bounds of these points relative to the top left corner of `area`, limited to the area. */
function reachOf(
  points: Float32Array,
  area: Rect,
): { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number } {
  const box = landmarkBox(points);
  return {
    left: Math.max(0, Math.floor(box.x - area.x)),
    top: Math.max(0, Math.floor(box.y - area.y)),
    right: Math.min(area.width, Math.ceil(box.x + box.width - area.x)),
    bottom: Math.min(area.height, Math.ceil(box.y + box.height - area.y)),
  };
}

/**
 * Returns by how many degrees the source is turned further to its side than the target, or 0. The sign is that of the
 * source's rotation.
 */
export function excessTurn(sourceYawDegrees: number, targetYawDegrees: number): number {
  const excess = Math.abs(sourceYawDegrees) - Math.max(0, targetYawDegrees * Math.sign(sourceYawDegrees));
  return Math.max(0, excess) * Math.sign(sourceYawDegrees);
}
