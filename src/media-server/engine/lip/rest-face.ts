import { requireWithinLimits } from '../codec/clip-limits.ts';
import type { Codec } from '../codec/codec.ts';
import { YuvCanvas } from '../codec/yuv-canvas.ts';
import type { FaceReader } from '../face/face-reader.ts';
import type { Pixels } from '../pixels.ts';
import { FaceTracker } from '../track/face-tracker.ts';
import { aroundMouth, lipGap } from './mouth-measures.ts';

/** The frame in which the mouth is closest to rest. */
export interface RestFace {
  /** The picture, of which only the area around the mouth is converted to RGBA. */
  readonly picture: Pixels;
  readonly landmarks: Float32Array;
}

/** How much of the clip is searched. Nobody speaks for this long without closing the lips. */
const SEARCHED_SECONDS = 8;
const SECONDS_PER_LOOK = 0.16;
/**
 * Lips with a gap smaller than this, in eye distances, count as closed. Where lips touch, the mesh measures a gap of
 * 0.02 to 0.05.
 */
const CLOSED_GAP = 0.06;
/**
 * A turned face shows the mouth foreshortened, so this is added to the gap, in eye distances, for every ten degrees of
 * rotation.
 */
const GAP_PER_TEN_DEGREES = 0.02;

/**
 * Searches the beginning of a clip for the face with closed lips, seen from the front. Returns `undefined` if
 * there is no face. The caller owns the picture.
 */
export async function findRestFace(
  codec: Codec,
  reader: FaceReader,
  path: string,
  options: { readonly shorterSide?: number; readonly signal: AbortSignal; readonly progress: () => void },
): Promise<RestFace | undefined> {
  const { signal, progress, ...size } = options;
  const tracker = new FaceTracker(reader);
  let best: RestFace | undefined;
  let bestGap = Number.POSITIVE_INFINITY;
  let nextLook = Number.NEGATIVE_INFINITY;
  let canvas: YuvCanvas | undefined;
  let count = 0;
  for await (const { planes, timestamp } of codec.readVideo(path, size)) {
    signal.throwIfAborted();
    progress();
    requireWithinLimits(++count, timestamp);
    if (timestamp > SEARCHED_SECONDS && best) break;
    if (timestamp < nextLook) continue;
    nextLook = timestamp + SECONDS_PER_LOOK;
    canvas ??= new YuvCanvas(planes.width, planes.height);
    canvas.show(planes);
    const face = await tracker.next(canvas, timestamp);
    if (!face) continue;
    // After a cut the face may be another person's, so the rest face is taken from the first shot.
    if (best && face.isNew) break;
    const gap = lipGap(face.rawLandmarks) + (GAP_PER_TEN_DEGREES * Math.abs(face.yawDegrees)) / 10;
    if (gap >= bestGap) continue;
    bestGap = gap;
    canvas.reveal(aroundMouth(canvas, face.rawLandmarks));
    const picture = { width: canvas.width, height: canvas.height, data: Uint8Array.from(canvas.data) };
    best = { picture, landmarks: face.rawLandmarks };
    if (gap < CLOSED_GAP) break;
  }
  return best;
}
