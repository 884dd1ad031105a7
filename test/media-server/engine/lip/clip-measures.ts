import type { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';
import type { FaceReader } from '../../../../src/media-server/engine/face/face-reader.ts';
import { lipGap } from '../../../../src/media-server/engine/lip/mouth-measures.ts';
import type { Pixels } from '../../../../src/media-server/engine/pixels.ts';
import { FaceTracker } from '../../../../src/media-server/engine/track/face-tracker.ts';

/** Measurements of one frame of a clip. */
export interface MeasuredFrame {
  readonly timestamp: number;
  readonly duration: number;
  /** The distance between the lips in eye distances; measured only in every second frame, if it has a face. */
  readonly gap: number | undefined;
  /** The upper 45 % of the frame as grey values at half size: eyes and background, but no mouth. */
  readonly top: Uint8Array;
}

/** Measures every frame of a clip, but the mouth only in frames before `mouthSeconds`. */
export async function measureClip(
  codec: MediabunnyCodec,
  reader: FaceReader,
  path: string,
  mouthSeconds: number,
): Promise<MeasuredFrame[]> {
  const tracker = new FaceTracker(reader);
  const frames: MeasuredFrame[] = [];
  for await (const { pixels, timestamp, duration } of codec.readVideo(path)) {
    const isMeasured = frames.length % 2 === 0 && timestamp < mouthSeconds;
    const face = isMeasured ? await tracker.next(pixels, timestamp) : undefined;
    frames.push({ timestamp, duration, gap: face && lipGap(face.rawLandmarks), top: topOf(pixels) });
  }
  return frames;
}

function topOf({ width, height, data }: Pixels): Uint8Array {
  const rows = Math.floor((height * 0.45) / 2);
  const columns = Math.floor(width / 2);
  const grey = new Uint8Array(rows * columns);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) grey[y * columns + x] = data[(2 * y * width + 2 * x) * 4 + 1] ?? 0;
  }
  return grey;
}

/** Returns the similarity of two pictures in dB; above 35 the eye sees no difference. */
export function psnr(a: Uint8Array, b: Uint8Array): number {
  const sum = a.reduce((total, value, n) => total + (value - (b[n] ?? 0)) ** 2, 0);
  return 10 * Math.log10(255 ** 2 / Math.max(1e-9, sum / a.length));
}
