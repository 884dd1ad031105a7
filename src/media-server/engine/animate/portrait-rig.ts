import type { Pixels } from '../pixels.ts';
import { warpTriangles } from '../swap/warp-triangles.ts';
import { addBrows } from './add-brows.ts';
import { type FaceMotion, type HeadPose, type Turn, turnOf } from './face-motion.ts';
import { type RimPoint, rimPoints, rimShare } from './face-rim.ts';
import { type HeadAxes, type Vector, pointOf } from './head-axes.ts';
import { EYEBALLS, closeLids } from './lids.ts';
import { drawLidLines, lashColour } from './lid-lines.ts';
import { drawMouthInterior, mouthMiddle } from './mouth-interior.ts';
import { type Colour, type MouthLook, mouthLook } from './mouth-look.ts';
import { MouthOffsets } from './mouth-offsets.ts';
import { movedPart } from './moved-part.ts';
import { overlay } from './overlay.ts';
import { FIRST_EYEBALL, FIRST_RING, type RigMesh, rigMesh } from './rig-mesh.ts';

/**
 * Animates a still portrait: turns its head, opens its mouth and blinks. Use one instance per portrait and
 * thread; it reuses its buffers.
 */
export class PortraitRig {
  readonly #picture: Pixels;
  readonly #rest: Float32Array;
  readonly #mesh: RigMesh;
  readonly #mouth: MouthOffsets;
  readonly #rim: readonly RimPoint[];
  readonly #look: MouthLook;
  readonly #lashes: Colour;
  readonly #moved: Float32Array;
  readonly #warped: Uint8Array;

  /** Keeps `picture`, which must be opaque, and the landmarks of the face in it. */
  constructor(picture: Pixels, landmarks: Float32Array) {
    this.#picture = picture;
    this.#rest = landmarks;
    this.#mesh = rigMesh(landmarks, picture);
    this.#mouth = new MouthOffsets(landmarks);
    this.#rim = rimPoints(landmarks);
    this.#look = mouthLook(picture, landmarks);
    this.#lashes = lashColour(picture, landmarks);
    this.#moved = new Float32Array(this.#mesh.points.length);
    this.#warped = new Uint8Array(picture.width * picture.height * 4);
  }

  /** The axes and proportions of the head in the portrait. */
  get axes(): HeadAxes {
    return this.#mesh.axes;
  }

  /** Returns the share of a landmark's movement that the mouth causes, 0 to 1. */
  mouthReach(point: number): number {
    return this.#mouth.reach(point);
  }

  /**
   * Draws the portrait with this motion into `out`, which must have the portrait's size. At rest, the result equals the
   * portrait.
   */
  render(motion: FaceMotion, out: Pixels): void {
    const moved = this.#moved;
    this.#express(motion);
    const inside = this.#mouth.insideOf(moved, motion.mouth);
    const turn = turnOf(motion.pose);
    const middle: [number, number, number] = [...mouthMiddle(this.#rest)];
    for (let point = 0; point < FIRST_RING; point++) this.#turn(moved, point, turn, motion.pose);
    this.#keepOutline(motion.pose);
    const turned = Float32Array.from(middle);
    this.#turn(turned, 0, turn, motion.pose);
    // The depth only affects the drawing order: the eyeballs must be behind the lids.
    for (let point = FIRST_EYEBALL; point < FIRST_RING; point++)
      moved[point * 3 + 2] = (moved[point * 3 + 2] ?? 0) + 0.3 * this.axes.unit;
    this.#moveRings(motion);
    out.data.set(this.#picture.data);
    const { triangles, area } = movedPart(this.#mesh, moved, out);
    if (area.width > 0 && area.height > 0) {
      warpTriangles(this.#picture, { from: this.#mesh.points, to: moved, triangles }, area, this.#warped);
      overlay(this.#warped, area, out);
    }
    const lashes = { colour: this.#lashes, unit: this.axes.unit * motion.pose.scale };
    drawLidLines(out, moved, { left: motion.blinkLeft, right: motion.blinkRight }, lashes);
    const place = { axes: turnedAxes(this.axes, turn, motion.pose.scale), middle: pointOf(turned, 0) };
    drawMouthInterior(out, moved, place, inside, this.#look);
  }

  #express({ mouth, blinkLeft, blinkRight, browLeft, browRight, offsets }: FaceMotion): void {
    const moved = this.#moved;
    moved.set(this.#mesh.points);
    if (offsets)
      for (let at = 0; at < offsets.length; at++) moved[at] = (moved[at] ?? 0) + (offsets[at] ?? 0);
    this.#mouth.addTo(moved, mouth);
    addBrows(moved, this.axes, browLeft, browRight);
    closeLids(moved, this.#rest, blinkLeft, blinkRight);
    for (const [n, point] of EYEBALLS.entries()) {
      if ((n < 16 ? blinkLeft : blinkRight) < 0) moved.set(pointOf(moved, point), (FIRST_EYEBALL + n) * 3);
    }
  }

  #turn(points: Float32Array, point: number, turn: Turn, { across, down, scale }: HeadPose): void {
    const { pivot, unit } = this.axes;
    const at = point * 3;
    const x = (points[at] ?? 0) - pivot[0];
    const y = (points[at + 1] ?? 0) - pivot[1];
    const z = (points[at + 2] ?? 0) - pivot[2];
    points[at] = pivot[0] + scale * (turn[0] * x + turn[1] * y + turn[2] * z) + across * unit;
    points[at + 1] = pivot[1] + scale * (turn[3] * x + turn[4] * y + turn[5] * z) + down * unit;
    points[at + 2] = pivot[2] + scale * (turn[6] * x + turn[7] * y + turn[8] * z);
  }

  /** Reduces the sideways movement at the sides of the face, except the part that shift, roll and scale cause. */
  #keepOutline(pose: HeadPose): void {
    const plane = this.#planeMove(pose);
    for (const rim of this.#rim) {
      const at = rim.point * 3;
      const rest = pointOf(this.#mesh.points, rim.point);
      const flat = plane(rest);
      const x = (this.#moved[at] ?? 0) - rest[0] - flat[0];
      const y = (this.#moved[at + 1] ?? 0) - rest[1] - flat[1];
      const along = x * rim.outX + y * rim.outY;
      const less = along * (1 - rimShare(rim, along));
      this.#moved[at] = (this.#moved[at] ?? 0) - less * rim.outX;
      this.#moved[at + 1] = (this.#moved[at + 1] ?? 0) - less * rim.outY;
    }
  }

  /** Returns a function that computes how shift, roll and scale move a point in the picture. */
  #planeMove(pose: HeadPose): (place: Vector) => [number, number] {
    const { pivot, unit } = this.axes;
    const [cos, sin] = [pose.scale * Math.cos(pose.roll), pose.scale * Math.sin(pose.roll)];
    return ([x, y]) => [
      (cos - 1) * (x - pivot[0]) - sin * (y - pivot[1]) + pose.across * unit,
      sin * (x - pivot[0]) + (cos - 1) * (y - pivot[1]) + pose.down * unit,
    ];
  }

  /** Makes every point around the face follow the nearest point of its outline: the farther away, the less it moves. */
  #moveRings({ pose, torso }: FaceMotion): void {
    const { points, rings } = this.#mesh;
    const { unit } = this.axes;
    const plane = this.#planeMove(pose);
    for (const [n, ring] of rings.entries()) {
      const at = (FIRST_RING + n) * 3;
      const own = plane(pointOf(points, FIRST_RING + n));
      const oval = pointOf(points, ring.oval);
      const ovalPlane = plane(oval);
      const ovalMoved = pointOf(this.#moved, ring.oval);
      const x =
        ring.head * own[0] +
        ring.skin * (ovalMoved[0] - oval[0] - ovalPlane[0]) +
        ring.torso * torso.across * unit;
      const y =
        ring.head * own[1] +
        ring.skin * (ovalMoved[1] - oval[1] - ovalPlane[1]) +
        ring.torso * torso.down * unit;
      this.#moved[at] = (points[at] ?? 0) + ring.freeAcross * x;
      this.#moved[at + 1] = (points[at + 1] ?? 0) + ring.freeDown * y;
    }
  }
}

function turnedAxes(axes: HeadAxes, turn: Turn, scale: number): HeadAxes {
  const turned = ([x, y, z]: Vector): Vector => [
    turn[0] * x + turn[1] * y + turn[2] * z,
    turn[3] * x + turn[4] * y + turn[5] * z,
    turn[6] * x + turn[7] * y + turn[8] * z,
  ];
  return {
    ...axes,
    right: turned(axes.right),
    down: turned(axes.down),
    back: turned(axes.back),
    unit: axes.unit * scale,
  };
}
