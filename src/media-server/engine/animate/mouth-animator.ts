import { shifted } from '../swap/shifted.ts';
import { LANDMARK_COUNT } from '../face/mesh-topology.ts';
import type { Pixels, Rect } from '../pixels.ts';
import { applyPose, fitPose } from '../swap/similarity-fit.ts';
import { warpTriangles } from '../swap/warp-triangles.ts';
import { drawMouthInterior, mouthMiddle } from './mouth-interior.ts';
import { type MouthLook, mouthLook } from './mouth-look.ts';
import { MouthOffsets } from './mouth-offsets.ts';
import type { MouthShape } from './mouth-shape.ts';
import { movedPart } from './moved-part.ts';
import { overlay } from './overlay.ts';
import { FIRST_RING, type RigMesh, rigMesh } from './rig-mesh.ts';
import { STILL_POINTS, pickPoints } from './still-points.ts';

/**
 * Gives a person's mouth any shape, in a still picture or in the frames of a clip, whatever the mouth does in the
 * original. Use one instance per person, shot and thread; it reuses its buffers.
 */
export class MouthAnimator {
  readonly #rest: Float32Array;
  readonly #offsets: MouthOffsets;
  readonly #look: MouthLook;
  #source = new Uint8Array(0);
  #drawn = new Uint8Array(0);

  /**
   * Measures the proportions and the light of the face with these landmarks in `picture`. The picture should show the
   * same person, as large as in the frames, with lips as closed as possible. Keeps `landmarks` but not `picture`.
   */
  constructor(picture: Pixels, landmarks: Float32Array) {
    this.#rest = landmarks;
    this.#offsets = new MouthOffsets(landmarks);
    this.#look = mouthLook(picture, landmarks);
  }

  /**
   * Draws the mouth in `shape` into `frame`, over the face with these `landmarks`. Lips, chin and cheeks move
   * with it; the rest of the frame stays as it is. Takes 2 to 4 ms for a face 200 pixels wide.
   */
  draw(frame: Pixels, landmarks: Float32Array, shape: MouthShape): void {
    const pose = fitPose(pickPoints(this.#rest, STILL_POINTS), pickPoints(landmarks, STILL_POINTS));
    const mesh = rigMesh(landmarks, frame);
    const shaped = Float32Array.from(this.#rest);
    this.#offsets.addTo(shaped, shape);
    const moved = this.#target(mesh, landmarks, applyPose(pose, shaped));
    const { triangles, area } = movedPart(mesh, moved, frame);
    if (area.width > 0 && area.height > 0) {
      this.#cut(frame, area);
      const local = { width: area.width, height: area.height, data: this.#source };
      const from = shifted(mesh.points, -area.x, -area.y);
      warpTriangles(local, { from, to: moved, triangles }, area, this.#drawn);
      overlay(this.#drawn, area, frame);
    }
    const middle = applyPose(pose, Float32Array.from(mouthMiddle(this.#rest)));
    const { right, down, back, pivot, unit } = this.#offsets.axes;
    const turned = { scale: 1, shift: [0, 0, 0], turn: pose.turn } as const;
    const axes = {
      right: vector(applyPose(turned, Float32Array.from(right))),
      down: vector(applyPose(turned, Float32Array.from(down))),
      back: vector(applyPose(turned, Float32Array.from(back))),
      pivot,
      unit: unit * pose.scale,
    };
    const inside = this.#offsets.insideOf(shaped, shape);
    drawMouthInterior(frame, moved, { axes, middle: vector(middle) }, inside, this.#look);
  }

  /**
   * Computes the position of every point: mouth and jaw move to the requested shape in the current pose of
   * the head, and everything else stays.
   */
  #target(mesh: RigMesh, landmarks: Float32Array, posed: Float32Array): Float32Array {
    const moved = Float32Array.from(mesh.points);
    for (let point = 0; point < LANDMARK_COUNT; point++) {
      const reach = this.#offsets.reach(point);
      for (let at = point * 3; at < point * 3 + 3; at++) {
        const here = landmarks[at] ?? 0;
        moved[at] = here + reach * ((posed[at] ?? 0) - here);
      }
    }
    for (const [n, ring] of mesh.rings.entries()) {
      const at = (FIRST_RING + n) * 3;
      for (let axis = 0; axis < 2; axis++) {
        const change = (moved[ring.oval * 3 + axis] ?? 0) - (landmarks[ring.oval * 3 + axis] ?? 0);
        moved[at + axis] = (moved[at + axis] ?? 0) + ring.skin * change;
      }
    }
    return moved;
  }

  #cut(frame: Pixels, area: Rect): void {
    const size = area.width * area.height * 4;
    if (this.#source.length < size) {
      this.#source = new Uint8Array(size);
      this.#drawn = new Uint8Array(size);
    }
    for (let row = 0; row < area.height; row++) {
      const from = ((area.y + row) * frame.width + area.x) * 4;
      this.#source.set(frame.data.subarray(from, from + area.width * 4), row * area.width * 4);
    }
  }
}

function vector([x = 0, y = 0, z = 0]: Float32Array): [number, number, number] {
  return [x, y, z];
}
