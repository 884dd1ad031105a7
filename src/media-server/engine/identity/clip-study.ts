import type { VideoFrame } from '../codec/codec.ts';
import { eyeDistanceOf } from '../face/face.ts';
import type { FaceReader } from '../face/face-reader.ts';
import { PlateBuilder } from '../head/clean-plate.ts';
import type { TargetPerson } from '../head/head-swapper.ts';
import { findNeck } from '../head/neck.ts';
import { neutralFace } from '../head/neutral-face.ts';
import { type PersonColours, findParts, learnColours } from '../head/person-parts.ts';
import { FaceTracker } from '../track/face-tracker.ts';

/** About so many pictures of a clip are looked at closely. */
const STUDIED = 24;

/** Looks through a clip before it is rendered. Undefined when no picture shows a face that can be replaced. */
export async function studyClip(
  frames: AsyncIterable<VideoFrame>,
  frameCount: number,
  reader: FaceReader,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: () => void },
): Promise<TargetPerson | undefined> {
  const tracker = new FaceTracker(reader);
  const step = Math.max(1, Math.floor(frameCount / STUDIED));
  const readings: Float32Array[] = [];
  let colours: PersonColours | undefined;
  let plate: PlateBuilder | undefined;
  let n = 0;
  for await (const frame of frames) {
    signal.throwIfAborted();
    progress();
    if (n++ % step !== 0) continue;
    const { pixels, timestamp } = frame;
    const face = tracker.next(pixels, timestamp);
    if (!face || face.weight < 1) continue;
    colours ??= learnColours(pixels, face.rawLandmarks);
    plate ??= new PlateBuilder(pixels.width, pixels.height);
    readings.push(face.rawLandmarks);
    const parts = findParts(pixels, face.rawLandmarks, colours, 'quickly');
    const neck = findNeck(parts, face.rawLandmarks, colours);
    plate.add(pixels, parts, neck, eyeDistanceOf(face.rawLandmarks));
  }
  if (!colours || !plate) return undefined;
  return { neutral: neutralFace(readings), colours, plate: plate.finish() };
}
