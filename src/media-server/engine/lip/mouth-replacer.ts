import { LOWER_LIP, UPPER_LIP } from '../animate/lip-rows.ts';
import { MouthAnimator } from '../animate/mouth-animator.ts';
import type { MouthShape } from '../animate/mouth-shape.ts';
import { STILL_POINTS, pickPoints } from '../animate/still-points.ts';
import { eyeDistanceOf } from '../face/face.ts';
import type { Pixels, Rect } from '../pixels.ts';
import { alignToPose } from '../swap/similarity-fit.ts';
import type { TrackedFace } from '../track/face-tracker.ts';
import { darkenOpening } from './darken-opening.ts';
import { aroundMouth, lipGap } from './mouth-measures.ts';
import type { RestFace } from './rest-face.ts';

/** A face that differs from the known one by at least this, in eye distances, belongs to another person. */
const SAME_PERSON_DIFFERENCE_MAX = 0.07;

/** Replaces the mouth movement of the person in a clip, who may be a different person after a cut. */
export class MouthReplacer {
  #rest: Float32Array;
  #animator: MouthAnimator;
  #before = new Uint8Array(0);

  constructor({ picture, landmarks }: RestFace) {
    this.#rest = landmarks;
    this.#animator = new MouthAnimator(picture, landmarks);
  }

  /**
   * Draws the mouth in `shape` over the one in `frame`, and returns the area of the frame that may have changed. A face
   * that is turned away keeps its own mouth.
   */
  draw(frame: Pixels, face: TrackedFace, shape: MouthShape): Rect | undefined {
    if (face.weight === 0) return undefined;
    const area = aroundMouth(frame, face.landmarks);
    frame.reveal?.(area);
    if (face.isNew && !this.#isSamePerson(face)) {
      this.#rest = face.rawLandmarks;
      this.#animator = new MouthAnimator(frame, face.rawLandmarks);
    }
    if (face.weight === 1) this.#drawFully(frame, face, shape);
    else this.#drawFading(frame, face, { shape, area });
    return area;
  }

  #drawFully(frame: Pixels, face: TrackedFace, shape: MouthShape): void {
    darkenOpening(frame, face.rawLandmarks);
    this.#animator.draw(frame, withOwnLips(face), shape);
  }

  #drawFading(frame: Pixels, face: TrackedFace, { shape, area }: { shape: MouthShape; area: Rect }): void {
    const size = area.width * area.height * 4;
    if (this.#before.length < size) this.#before = new Uint8Array(size);
    const row = area.width * 4;
    const start = (y: number): number => ((area.y + y) * frame.width + area.x) * 4;
    for (let y = 0; y < area.height; y++)
      this.#before.set(frame.data.subarray(start(y), start(y) + row), y * row);
    this.#drawFully(frame, face, shape);
    for (let y = 0; y < area.height; y++) {
      for (let x = 0; x < row; x++) {
        const before = this.#before[y * row + x] ?? 0;
        const drawn = frame.data[start(y) + x] ?? 0;
        frame.data[start(y) + x] = before + face.weight * (drawn - before);
      }
    }
  }

  #isSamePerson({ landmarks }: TrackedFace): boolean {
    const here = pickPoints(landmarks, STILL_POINTS);
    const known = alignToPose(pickPoints(this.#rest, STILL_POINTS), here);
    let sum = 0;
    for (let at = 0; at < here.length; at += 3)
      sum += Math.hypot((here[at] ?? 0) - (known[at] ?? 0), (here[at + 1] ?? 0) - (known[at + 1] ?? 0));
    return (sum * 3) / here.length < SAME_PERSON_DIFFERENCE_MAX * eyeDistanceOf(landmarks);
  }
}

const LIPS: readonly number[] = [...new Set([...UPPER_LIP, ...LOWER_LIP].flat())];
/**
 * Where the lips part, the mesh misplaces a lip's edge by up to this share of the distance from the edge to the lip's
 * next row of points. Without this margin, a line of teeth or shadow would be visible.
 */
const EDGE_MARGIN = 0.4;
const PARTED_GAP = 0.08;

/**
 * Returns the smoothed landmarks, but with the lips of the current frame, because the drawing must not lag behind fast
 * speech. Parted lips are drawn slightly smaller, without their edges.
 */
function withOwnLips({ landmarks, rawLandmarks }: TrackedFace): Float32Array {
  const points = Float32Array.from(landmarks);
  for (const lip of LIPS) points.set(rawLandmarks.subarray(lip * 3, lip * 3 + 3), lip * 3);
  const margin = EDGE_MARGIN * Math.min(1, lipGap(rawLandmarks) / PARTED_GAP);
  for (const [, , inner = [], edge = []] of [UPPER_LIP, LOWER_LIP]) {
    for (const [n, point] of edge.entries()) {
      const beside = inner[n] ?? point;
      if (n === 0 || n === edge.length - 1) continue;
      for (let axis = 0; axis < 3; axis++) {
        const here = rawLandmarks[point * 3 + axis] ?? 0;
        points[point * 3 + axis] = here + margin * ((rawLandmarks[beside * 3 + axis] ?? 0) - here);
      }
    }
  }
  return points;
}
