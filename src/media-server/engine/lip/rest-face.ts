import type { Codec } from '../codec/codec.ts';
import { eyeDistanceOf } from '../face/face.ts';
import type { FaceReader } from '../face/face-reader.ts';
import type { Pixels } from '../pixels.ts';
import { FaceTracker } from '../track/face-tracker.ts';

/** A picture in which the mouth is at rest, as nearly as there is one. */
export interface RestFace {
  readonly picture: Pixels;
  readonly landmarks: Float32Array;
}

/** Nobody talks this long without closing the lips. */
const SEARCHED_SECONDS = 8;
const SECONDS_PER_LOOK = 0.1;
/** Lips closer than this, in eye distances, are closed. */
const CLOSED_GAP = 0.012;
/** Turned faces show the mouth foreshortened: ten degrees count as much as this gap. */
const GAP_PER_TEN_DEGREES = 0.02;
const INNER_LIPS = [13, 14] as const;

/**
 * Looks through the beginning of a clip for the face with its lips closed, seen from the front. Undefined when there
 * is no face there. The caller owns the picture.
 */
export async function findRestFace(
  codec: Codec,
  reader: FaceReader,
  path: string,
  options: { readonly shorterSide?: number; readonly signal: AbortSignal },
): Promise<RestFace | undefined> {
  const { signal, ...size } = options;
  const tracker = new FaceTracker(reader);
  let best: RestFace | undefined;
  let bestGap = Number.POSITIVE_INFINITY;
  let nextLook = Number.NEGATIVE_INFINITY;
  for await (const { pixels, timestamp } of codec.readVideo(path, size)) {
    signal.throwIfAborted();
    if (timestamp > SEARCHED_SECONDS && best) break;
    if (timestamp < nextLook) continue;
    nextLook = timestamp + SECONDS_PER_LOOK;
    const face = tracker.next(pixels, timestamp);
    if (!face) continue;
    // A cut shows somebody else: the rest face is that of the first shot.
    if (best && face.isNew) break;
    const gap = lipGap(face.rawLandmarks) + (GAP_PER_TEN_DEGREES * Math.abs(face.yawDegrees)) / 10;
    if (gap >= bestGap) continue;
    bestGap = gap;
    best = { picture: { ...pixels, data: Uint8Array.from(pixels.data) }, landmarks: face.rawLandmarks };
    if (gap < CLOSED_GAP) break;
  }
  return best;
}

/** Distance between the inner edges of the lips in the middle, in eye distances. */
export function lipGap(landmarks: Float32Array): number {
  const [upper, lower] = INNER_LIPS;
  const x = (landmarks[lower * 3] ?? 0) - (landmarks[upper * 3] ?? 0);
  const y = (landmarks[lower * 3 + 1] ?? 0) - (landmarks[upper * 3 + 1] ?? 0);
  return Math.hypot(x, y) / Math.max(1e-6, eyeDistanceOf(landmarks));
}
