import { eyeDistanceOf, faceFromLandmarks } from '../face/face.ts';
import { LANDMARK_COUNT, TRIANGLES } from '../face/mesh-topology.ts';
import type { Pixels, Rect } from '../pixels.ts';
import { excessTurn, fillFarSide } from '../swap/fill-far-side.ts';
import { MOUTH_TRIANGLES } from '../swap/mouth-triangles.ts';
import { type Pose } from '../swap/similarity-fit.ts';
import { smoothStep } from '../smooth-step.ts';
import { mouthOpening } from '../swap/target-shape.ts';
import { withoutTeeth } from '../swap/source-face.ts';
import { warpTriangles } from '../swap/warp-triangles.ts';
import type { TrackedFace } from '../track/face-tracker.ts';
import { closeLids } from './close-lids.ts';
import { type Plate, eraseHead, erasureOf } from './erase-head.ts';
import { type CutoutLevel, type HeadCutout, cutoutLevel } from './head-cutout.ts';
import { poseHead, skullPose } from './head-pose.ts';
import { Hidden } from './hidden.ts';
import { layHead, layMouth } from './lay-head.ts';
import { findNeck } from './neck.ts';
import { type NeutralFace, expressionOf } from './neutral-face.ts';
import { type PersonColours, findParts, partsArea } from './person-parts.ts';
import { PlateCells } from './plate-cells.ts';
import { SkinTable } from './skin-table.ts';
import { bareSkin, tintNeck } from './tint-neck.ts';

/** Data about the person whose head is replaced. */
export interface TargetPerson {
  readonly neutral: NeutralFace;
  readonly colours: PersonColours;
  /** The scene without the head; see `PlateBuilder`. */
  readonly plate: Pixels;
}

/** The largest `mouthOpening` at which a mouth counts as closed. */
const MOUTH_CLOSED_MAX = 0.08;
const MOUTH_SHOWS_FROM = 0.04;
const MOUTH_SHOWS_TO = 0.12;

/** Puts one head on the person in a clip, frame by frame. It reuses its buffers. */
export class HeadSwapper {
  readonly target: TargetPerson;
  readonly #cutout: HeadCutout;
  readonly #skin: SkinTable;
  readonly #hidden: Hidden;
  readonly #plate: Plate;
  #colour = new Uint8Array(0);
  #cover = new Uint8Array(0);
  #mouth = new Uint8Array(0);

  constructor(cutout: HeadCutout, target: TargetPerson) {
    this.#cutout = cutout;
    this.target = target;
    this.#skin = new SkinTable(target.colours);
    this.#hidden = new Hidden(target.plate.width);
    this.#plate = { pixels: target.plate, cells: new PlateCells(target.plate) };
  }

  /**
   * Replaces the head with this face in `picture`, in place, with the face's weight as the opacity. Returns the area
   * that may have changed, or `undefined` if there is none.
   */
  swap(picture: Pixels, { landmarks, rawLandmarks, weight }: TrackedFace): Rect | undefined {
    if (!(weight > 0)) return undefined;
    const { colours, neutral } = this.target;
    const eyeDistance = eyeDistanceOf(landmarks);
    const level = cutoutLevel(this.#cutout, eyeDistance);
    const pose = skullPose(faceOf(level.points), landmarks, neutral.rigid);
    const shape = poseHead(level.points, pose, expressionOf(neutral, landmarks));
    closeLids(shape, rawLandmarks, neutral.landmarks);
    const area = drawnArea(level, shape, pose, picture);
    const touched = union(partsArea(landmarks, picture), area);
    picture.reveal?.(touched);
    const before = weight < 1 ? copyOf(picture, touched) : undefined;
    const parts = findParts(picture, landmarks, colours, 'quickly');
    const neck = findNeck(parts, landmarks, colours);
    if (area) this.#draw(picture, landmarks, level, shape, area);
    this.#hidden.show(area, this.#cover);
    const erasure = erasureOf(parts, neck, eyeDistance);
    const erased = eraseHead(picture, this.#plate, parts, neck, erasure, this.#skin, this.#hidden);
    const tones = { from: colours.tone, to: this.#cutout.tone };
    const bare = bareSkin(neck, erasure, this.#plate.cells.of(parts.grid), this.#skin);
    const tinted = tintNeck(picture, parts.grid, bare, this.#skin, tones, this.#hidden);
    if (area) layHead(picture, { area, colour: this.#colour, cover: this.#cover });
    if (before) fade(picture, touched, before, weight);
    return union(union(erased, tinted), area);
  }

  /** Draws the head with the person's own mouth into the buffers. */
  #draw(picture: Pixels, landmarks: Float32Array, level: CutoutLevel, shape: Float32Array, area: Rect): void {
    this.#reserve(area.width * area.height * 4);
    const isClosed = this.#cutout.opening < MOUTH_CLOSED_MAX;
    const from = isClosed ? level.points : withoutTeeth(level.points);
    const mesh = { from, to: shape, triangles: isClosed ? level.trianglesWithMouth : level.triangles };
    warpTriangles(level.cover, mesh, area, this.#cover);
    warpTriangles(level.colour, mesh, area, this.#colour);
    const turn = excessTurn(this.#cutout.yawDegrees, faceFromLandmarks(landmarks, 1).yawDegrees);
    const face = { from: faceOf(from), to: faceOf(shape), triangles: TRIANGLES };
    fillFarSide(level.colour, face, turn, area, this.#colour, this.#mouth);
    fillFarSide(level.cover, face, turn, area, this.#cover, this.#mouth);
    const mouthArea = within(boundsOf(shape, MOUTH), area);
    warpTriangles(picture, { from: landmarks, to: shape, triangles: MOUTH }, mouthArea, this.#mouth);
    const share = smoothStep(MOUTH_SHOWS_FROM, MOUTH_SHOWS_TO, mouthOpening(landmarks));
    layMouth({ area, colour: this.#colour, cover: this.#cover }, mouthArea, this.#mouth, share);
  }

  #reserve(length: number): void {
    if (this.#colour.length >= length) return;
    this.#colour = new Uint8Array(length);
    this.#cover = new Uint8Array(length);
    this.#mouth = new Uint8Array(length);
  }
}

const MOUTH = Uint16Array.from(MOUTH_TRIANGLES);

/** Returns the area of `picture` in which a head with this shape may be visible. */
function drawnArea(level: CutoutLevel, shape: Float32Array, pose: Pose, picture: Pixels): Rect | undefined {
  const { bounds, points } = level;
  const reach = pose.scale * Math.max(bounds.width, bounds.height) * 0.25;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < points.length; at += 3) {
    const [x, y] = [points[at] ?? 0, points[at + 1] ?? 0];
    if (x < bounds.x || y < bounds.y || x > bounds.x + bounds.width || y > bounds.y + bounds.height) continue;
    left = Math.min(left, shape[at] ?? 0);
    right = Math.max(right, shape[at] ?? 0);
    top = Math.min(top, shape[at + 1] ?? 0);
    bottom = Math.max(bottom, shape[at + 1] ?? 0);
  }
  const x = Math.max(0, Math.floor(left - reach));
  const y = Math.max(0, Math.floor(top - reach));
  const width = Math.min(picture.width, Math.ceil(right + reach)) - x;
  const height = Math.min(picture.height, Math.ceil(bottom + reach)) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

function faceOf(points: Float32Array): Float32Array {
  return points.subarray(0, LANDMARK_COUNT * 3);
}

/** Returns a copy of the pixels of `area`. */
function copyOf({ width, data }: Pixels, area: Rect): Uint8Array {
  const bytes = new Uint8Array(area.width * area.height * 4);
  for (let y = 0; y < area.height; y++) {
    const from = ((area.y + y) * width + area.x) * 4;
    bytes.set(data.subarray(from, from + area.width * 4), y * area.width * 4);
  }
  return bytes;
}

/** Blends `area` with its previous pixels; `share` is the opacity of the new ones. */
function fade({ width, data }: Pixels, area: Rect, before: Uint8Array, share: number): void {
  for (let y = 0, at = 0; y < area.height; y++) {
    let out = ((area.y + y) * width + area.x) * 4;
    for (const end = out + area.width * 4; out < end; out++, at++) {
      const old = before[at] ?? 0;
      data[out] = old + share * ((data[out] ?? 0) - old) + 0.5;
    }
  }
}

/** Returns the bounds of the points of these triangles in whole pixels. */
function boundsOf(points: Float32Array, triangles: Uint16Array): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const point of triangles) {
    left = Math.min(left, points[point * 3] ?? 0);
    right = Math.max(right, points[point * 3] ?? 0);
    top = Math.min(top, points[point * 3 + 1] ?? 0);
    bottom = Math.max(bottom, points[point * 3 + 1] ?? 0);
  }
  const [x, y] = [Math.floor(left), Math.floor(top)];
  return { x, y, width: Math.ceil(right) - x, height: Math.ceil(bottom) - y };
}

/** Returns the intersection of `area` and `outer`, which may be empty. */
function within(area: Rect, outer: Rect): Rect {
  const [x, y] = [Math.max(area.x, outer.x), Math.max(area.y, outer.y)];
  const right = Math.min(area.x + area.width, outer.x + outer.width);
  const bottom = Math.min(area.y + area.height, outer.y + outer.height);
  return { x, y, width: Math.max(0, right - x), height: Math.max(0, bottom - y) };
}

/** Returns the smallest area that contains both. */
function union(a: Rect, b: Rect | undefined): Rect {
  if (!b || b.width === 0 || b.height === 0) return a;
  if (a.width === 0 || a.height === 0) return b;
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  const right = Math.max(a.x + a.width, b.x + b.width);
  const bottom = Math.max(a.y + a.height, b.y + b.height);
  return { x, y, width: right - x, height: bottom - y };
}
