import type { FaceFinder } from './face-finder.ts';
import {
  type Face,
  type FaceBox,
  eyeDistanceOf,
  landmarkBox,
  largestFace,
  overlap,
  rollOf,
} from '../face/face.ts';
import { FACE_OVAL, TRIANGLES } from '../face/mesh-topology.ts';
import { PictureFiles } from '../photo/picture-file.ts';
import type { Pixels } from '../pixels.ts';
import { Polygon } from '../swap/polygon.ts';
import { warpTriangles } from '../swap/warp-triangles.ts';

/** A comparison of a finished photo swap with its inputs. */
export interface SwapCheck {
  /** The number of faces at the position of the base picture's main face. It should be 1. */
  readonly facesInPlace: number;
  /** Mean change of luma inside the face, 0 to 255. */
  readonly faceChange: number;
  /** Peak signal-to-noise ratio in dB of everything outside the face's box; Infinity if it is identical. */
  readonly psnrOutsideDb: number;
  /** The similarity of the result's face to the person's and to the base's, -1 to 1; see `faceLikeness`. */
  readonly likenessToPerson: number;
  readonly likenessToBase: number;
}

/**
 * The margin on each side, as a share of the box's longer side. It covers the feathered edge and the JPEG blocks that
 * the edge touches.
 */
const BOX_MARGIN = 0.1;
const ALIGNED_EYE_DISTANCE = 48;
const SAME_PLACE_OVERLAP = 0.5;

/**
 * Compares a result file with its input files. Throws if the base or the person's picture shows no face, a file cannot
 * be decoded, or the sizes of the base and the result differ. Uses the calling thread for about 30 ms.
 */
export async function checkSwap(
  paths: { readonly base: string; readonly person: string; readonly result: string },
  finder: FaceFinder,
): Promise<SwapCheck> {
  const files = await PictureFiles.load();
  const [base, person, result] = await Promise.all([
    files.decode(paths.base, 'base image'),
    files.decode(paths.person, 'face image'),
    files.decode(paths.result, 'result'),
  ]);
  const [baseFace, personFace] = [
    largestFace(await finder.find(paths.base)),
    largestFace(await finder.find(paths.person)),
  ];
  if (!baseFace || !personFace) throw new TypeError('Cannot check a swap between pictures without faces');
  const inPlace = (await finder.find(paths.result)).filter(
    (face) => overlap(face.box, baseFace.box) > SAME_PLACE_OVERLAP,
  );
  const resultFace = inPlace[0] ?? baseFace;
  return {
    facesInPlace: inPlace.length,
    faceChange: meanChange(base, result, baseFace),
    psnrOutsideDb: psnrOutside(base, result, baseFace.box),
    likenessToPerson: faceLikeness(result, resultFace, person, personFace),
    likenessToBase: faceLikeness(result, resultFace, base, baseFace),
  };
}

/** Returns the PSNR in dB of everything outside `box` and the margin around it. Throws if the sizes differ. */
export function psnrOutside(a: Pixels, b: Pixels, box: FaceBox): number {
  sameSize(a, b);
  const margin = BOX_MARGIN * Math.max(box.width, box.height);
  let squares = 0;
  let count = 0;
  for (let y = 0, at = 0; y < a.height; y++) {
    const inRow = y >= box.y - margin && y < box.y + box.height + margin;
    for (let x = 0; x < a.width; x++, at += 4) {
      if (inRow && x >= box.x - margin && x < box.x + box.width + margin) continue;
      for (let channel = 0; channel < 3; channel++) {
        squares += ((a.data[at + channel] ?? 0) - (b.data[at + channel] ?? 0)) ** 2;
        count++;
      }
    }
  }
  return 10 * Math.log10((255 * 255 * count) / squares);
}

/**
 * Returns the similarity of two faces, -1 to 1, independent of their pose, size and colour. Warps both to the first
 * face's landmarks, normalises the local mean and contrast of their luma, and correlates the results.
 */
export function faceLikeness(a: Pixels, faceA: Face, b: Pixels, faceB: Face): number {
  const frame = uprightFrame(faceA.landmarks);
  const first = localContrast(alignedLuma(a, faceA.landmarks, frame), frame);
  const second = localContrast(alignedLuma(b, faceB.landmarks, frame), frame);
  const inside = frame.inside;
  let [sum, sumA, sumB] = [0, 0, 0];
  for (let n = 0; n < inside.length; n++) {
    if (!inside[n]) continue;
    const [x, y] = [first[n] ?? 0, second[n] ?? 0];
    sum += x * y;
    sumA += x * x;
    sumB += y * y;
  }
  return sum / Math.max(Math.sqrt(sumA * sumB), 1e-9);
}

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly landmarks: Float32Array;
  readonly inside: Uint8Array;
}

function uprightFrame(landmarks: Float32Array): Frame {
  const scale = ALIGNED_EYE_DISTANCE / eyeDistanceOf(landmarks);
  const roll = rollOf(landmarks);
  const [cos, sin] = [Math.cos(roll) * scale, Math.sin(roll) * scale];
  const upright = new Float32Array(landmarks.length);
  for (let at = 0; at < landmarks.length; at += 3) {
    const [x, y] = [landmarks[at] ?? 0, landmarks[at + 1] ?? 0];
    upright[at] = x * cos + y * sin;
    upright[at + 1] = y * cos - x * sin;
    upright[at + 2] = (landmarks[at + 2] ?? 0) * scale;
  }
  const box = landmarkBox(upright);
  for (let at = 0; at < upright.length; at += 3) {
    upright[at] = (upright[at] ?? 0) - box.x;
    upright[at + 1] = (upright[at + 1] ?? 0) - box.y;
  }
  const [width, height] = [Math.ceil(box.width), Math.ceil(box.height)];
  const oval = new Polygon(upright, FACE_OVAL);
  const inside = new Uint8Array(width * height);
  for (let n = 0; n < inside.length; n++) {
    const depth = oval.depth((n % width) + 0.5, Math.floor(n / width) + 0.5);
    inside[n] = depth > 0.2 * ALIGNED_EYE_DISTANCE ? 1 : 0;
  }
  return { width, height, landmarks: upright, inside };
}

function alignedLuma(picture: Pixels, landmarks: Float32Array, frame: Frame): Float32Array {
  const { width, height } = frame;
  const warped = new Uint8Array(width * height * 4);
  const mesh = { from: landmarks, to: frame.landmarks, triangles: TRIANGLES };
  warpTriangles(picture, mesh, { x: 0, y: 0, width, height }, warped);
  return Float32Array.from({ length: width * height }, (_none, n) => luma(warped, n * 4));
}

/** Subtracts the local mean and divides by the local contrast, both over half an eye distance. */
function localContrast(values: Float32Array, frame: Frame): Float32Array {
  const mean = localMean(values, frame);
  const off = values.map((value, n) => value - (mean[n] ?? 0));
  const power = localMean(
    off.map((value) => value * value),
    frame,
  );
  return off.map((value, n) => value / (Math.sqrt(power[n] ?? 0) + 4));
}

function localMean(values: Float32Array, { width, height }: Frame): Float32Array {
  const reach = ALIGNED_EYE_DISTANCE / 4;
  const sums = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      row += values[y * width + x] ?? 0;
      sums[(y + 1) * (width + 1) + x + 1] = row + (sums[y * (width + 1) + x + 1] ?? 0);
    }
  }
  return values.map((_value, n) => {
    const x = n % width;
    const y = (n - x) / width;
    const [left, right] = [Math.max(0, x - reach), Math.min(width, x + reach + 1)];
    const [top, bottom] = [
      Math.max(0, y - reach) * (width + 1),
      Math.min(height, y + reach + 1) * (width + 1),
    ];
    const sum =
      (sums[bottom + right] ?? 0) -
      (sums[bottom + left] ?? 0) -
      (sums[top + right] ?? 0) +
      (sums[top + left] ?? 0);
    return (sum * (width + 1)) / ((right - left) * (bottom - top));
  });
}

function meanChange(a: Pixels, b: Pixels, face: Face): number {
  sameSize(a, b);
  const oval = new Polygon(face.landmarks, FACE_OVAL);
  let [sum, count] = [0, 0];
  for (let y = Math.max(0, Math.floor(oval.top)); y < Math.min(a.height, oval.bottom); y++) {
    for (let x = Math.max(0, Math.floor(oval.left)); x < Math.min(a.width, oval.right); x++) {
      if (oval.depth(x + 0.5, y + 0.5) <= 0) continue;
      const at = (y * a.width + x) * 4;
      sum += Math.abs(luma(a.data, at) - luma(b.data, at));
      count++;
    }
  }
  return sum / Math.max(count, 1);
}

function luma(data: Uint8Array, at: number): number {
  return 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
}

function sameSize(a: Pixels, b: Pixels): void {
  if (a.width !== b.width || a.height !== b.height) {
    throw new RangeError(`Cannot compare ${a.width} x ${a.height} with ${b.width} x ${b.height} pixels`);
  }
}
