import { dot, headAxes, minus, pointOf } from '../../../../src/media-server/engine/animate/head-axes.ts';
import { lidOpening } from '../../../../src/media-server/engine/animate/lids.ts';
import type { Codec } from '../../../../src/media-server/engine/codec/codec.ts';
import { faceFromLandmarks } from '../../../../src/media-server/engine/face/face.ts';
import type { FaceReader } from '../../../../src/media-server/engine/face/face-reader.ts';
import { FaceTracker } from '../../../../src/media-server/engine/track/face-tracker.ts';

/** Measurements of the face in a clip, one value for each frame in which the face is found. */
export interface FaceSeries {
  /** Turn of the head in degrees, positive towards the viewer's right. */
  readonly yaw: readonly number[];
  /** Distance between the lips in eye distances. */
  readonly mouth: readonly number[];
  /** Mean opening of the lids of both eyes, as a fraction of the eye's width. */
  readonly lids: readonly number[];
  /** The number of frames in the clip. */
  readonly pictures: number;
}

/** Measures the face in each frame of a clip. */
export async function faceSeries(path: string, codec: Codec, reader: FaceReader): Promise<FaceSeries> {
  const tracker = new FaceTracker(reader);
  const yaw: number[] = [];
  const mouth: number[] = [];
  const lids: number[] = [];
  let pictures = 0;
  for await (const { pixels, timestamp } of codec.readVideo(path)) {
    pictures++;
    const face = await tracker.next(pixels, timestamp);
    if (!face) continue;
    yaw.push(faceFromLandmarks(face.rawLandmarks, 1).yawDegrees);
    mouth.push(mouthOpening(face.rawLandmarks));
    lids.push((lidOpening(face.rawLandmarks, 'left') + lidOpening(face.rawLandmarks, 'right')) / 2);
  }
  return { yaw, mouth, lids, pictures };
}

/** Returns the distance between the middles of the two lips, in eye distances. */
export function mouthOpening(landmarks: Float32Array): number {
  const { down, unit } = headAxes(landmarks);
  return dot(minus(pointOf(landmarks, 14), pointOf(landmarks, 13)), down) / unit;
}

/** Returns Pearson's correlation of two series of equal length. */
export function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;
  const [ma, mb] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (const [n, value] of a.entries()) {
    const [da, db] = [value - ma, (b[n] ?? 0) - mb];
    ab += da * db;
    aa += da * da;
    bb += db * db;
  }
  return ab / Math.sqrt(aa * bb);
}

/**
 * Returns how far the lids are closed in each frame: 0 if they are as far open as usual in the neighbouring frames, 1
 * if fully closed. The comparison is needed because the mesh's measurement of an open eye drifts as the head turns.
 */
export function lidClosings(openings: readonly number[]): readonly number[] {
  return openings.map((opening, n) => {
    const around = openings.slice(Math.max(0, n - 12), n + 13).sort((a, b) => a - b);
    const usual = around[Math.floor(around.length * 0.6)] ?? 1;
    return 1 - opening / usual;
  });
}

/** Returns how many times the lids close. */
export function blinks(openings: readonly number[]): number {
  const shut = lidClosings(openings).map((closing) => closing > 0.22);
  return shut.filter((now, n) => now && shut[n - 1] !== true).length;
}
