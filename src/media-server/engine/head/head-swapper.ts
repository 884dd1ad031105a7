import { eyeDistanceOf, faceFromLandmarks } from '../face/face.ts';
import { LANDMARK_COUNT, TRIANGLES } from '../face/mesh-topology.ts';
import type { Pixels, Rect } from '../pixels.ts';
import { excessTurn, fillFarSide } from '../swap/mirror-fill.ts';
import { MOUTH_TRIANGLES } from '../swap/mouth-triangles.ts';
import { type Pose } from '../swap/similarity-fit.ts';
import { smoothstep } from '../swap/polygon.ts';
import { mouthOpening } from '../swap/target-shape.ts';
import { withoutTeeth } from '../swap/source-face.ts';
import { warpTriangles } from '../swap/triangle-warp.ts';
import type { TrackedFace } from '../track/face-tracker.ts';
import { closeLids } from './close-lids.ts';
import { eraseHead, erasedShare } from './erase-head.ts';
import { type CutoutLevel, type HeadCutout, cutoutLevel } from './head-cutout.ts';
import { HEAD_TRIANGLES } from './head-mesh.ts';
import { poseHead, skullPose } from './head-pose.ts';
import { findNeck } from './neck.ts';
import { type NeutralFace, expressionOf } from './neutral-face.ts';
import { type PersonColours, findParts } from './person-parts.ts';
import { SkinTable } from './skin-table.ts';
import { tintNeck } from './tint-neck.ts';

/** What is known of the person whose head is replaced. */
export interface TargetPerson {
  readonly neutral: NeutralFace;
  readonly colours: PersonColours;
  /** The scene without the head, see `PlateBuilder`. */
  readonly plate: Pixels;
}

/** See `mouthOpening`. */
const MOUTH_CLOSED_MAX = 0.08;
const MOUTH_SHOWS_FROM = 0.04;
const MOUTH_SHOWS_TO = 0.12;

/** Puts one head on the person of a clip, picture by picture, reusing its buffers. */
export class HeadSwapper {
  readonly #cutout: HeadCutout;
  readonly #target: TargetPerson;
  readonly #skin: SkinTable;
  #colour = new Uint8Array(0);
  #cover = new Uint8Array(0);
  #mouth = new Uint8Array(0);

  constructor(cutout: HeadCutout, target: TargetPerson) {
    this.#cutout = cutout;
    this.#target = target;
    this.#skin = new SkinTable(target.colours);
  }

  /** Replaces the head with this face in `picture`, in place, as much as the face's weight says. */
  swap(picture: Pixels, { landmarks, rawLandmarks, weight }: TrackedFace): void {
    const before = weight < 1 ? Uint8Array.from(picture.data) : undefined;
    const { colours, neutral, plate } = this.#target;
    const eyeDistance = eyeDistanceOf(landmarks);
    const level = cutoutLevel(this.#cutout, eyeDistance);
    const face = faceOf(level.points);
    const pose = skullPose(face, landmarks, neutral.rigid);
    const shape = poseHead(level.points, pose, expressionOf(neutral, landmarks));
    closeLids(shape, rawLandmarks, neutral.landmarks);
    const area = drawnArea(level, shape, pose, picture);
    const parts = findParts(picture, landmarks, colours, 'quickly');
    const neck = findNeck(parts, landmarks, colours);
    if (area) this.#draw(picture, landmarks, level, shape, area);
    eraseHead(picture, plate, parts, neck, erasedShare(parts, neck, eyeDistance));
    tintNeck(picture, parts, neck, this.#skin, { from: colours.tone, to: this.#cutout.tone });
    if (area) this.#lay(picture, area, smoothstep(MOUTH_SHOWS_FROM, MOUTH_SHOWS_TO, mouthOpening(landmarks)));
    if (before) mix(picture.data, before, weight);
  }

  /** Draws head and mouth into the buffers. */
  #draw(picture: Pixels, landmarks: Float32Array, level: CutoutLevel, shape: Float32Array, area: Rect): void {
    this.#reserve(area.width * area.height * 4);
    const isClosed = this.#cutout.opening < MOUTH_CLOSED_MAX;
    const from = isClosed ? level.points : withoutTeeth(level.points);
    const mesh = { from, to: shape, triangles: isClosed ? WITH_MOUTH : HEAD_TRIANGLES };
    warpTriangles(level.cover, mesh, area, this.#cover);
    warpTriangles(level.colour, mesh, area, this.#colour);
    const turn = excessTurn(this.#cutout.yawDegrees, faceFromLandmarks(landmarks, 1).yawDegrees);
    const face = { from: faceOf(from), to: faceOf(shape), triangles: TRIANGLES };
    fillFarSide(level.colour, face, turn, area, this.#colour, this.#mouth);
    fillFarSide(level.cover, face, turn, area, this.#cover, this.#mouth);
    const mouth = { from: landmarks, to: shape, triangles: MOUTH };
    warpTriangles(picture, mouth, area, this.#mouth);
  }

  /** Lays the head on, and in its mouth, as far as `mouthShare` says, the mouth of the person in the clip. */
  #lay({ width, data }: Pixels, area: Rect, mouthShare: number): void {
    const [colour, cover, mouth] = [this.#colour, this.#cover, this.#mouth];
    for (let y = 0, at = 0; y < area.height; y++) {
      let out = ((area.y + y) * width + area.x) * 4;
      for (let x = 0; x < area.width; x++, at += 4, out += 4) {
        const inMouth = mouth[at + 3] === 0 ? 0 : colour[at + 3] === 0 ? 1 : mouthShare;
        const share = inMouth > 0 ? 1 : (cover[at] ?? 0) / 255;
        if (share === 0) continue;
        for (let channel = 0; channel < 3; channel++) {
          const own = colour[at + channel] ?? 0;
          const shown = own + inMouth * ((mouth[at + channel] ?? 0) - own);
          const under = data[out + channel] ?? 0;
          data[out + channel] = under + share * (shown - under) + 0.5;
        }
      }
    }
  }

  #reserve(length: number): void {
    if (this.#colour.length >= length) return;
    this.#colour = new Uint8Array(length);
    this.#cover = new Uint8Array(length);
    this.#mouth = new Uint8Array(length);
  }
}

const MOUTH = Uint16Array.from(MOUTH_TRIANGLES);
const WITH_MOUTH = Uint16Array.from([...HEAD_TRIANGLES, ...MOUTH_TRIANGLES]);

/** The part of `picture` in which a head posed like this may show. */
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

/** Lets `data` show through only by `share`. */
function mix(data: Uint8Array, before: Uint8Array, share: number): void {
  for (let at = 0; at < data.length; at++) {
    const old = before[at] ?? 0;
    data[at] = old + share * ((data[at] ?? 0) - old) + 0.5;
  }
}
