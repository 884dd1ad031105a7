import { z } from 'zod';
import type { MouthShape, MouthTrack } from '../animate/mouth-shape.ts';
import { requireVideo, requireWithinLimits } from '../codec/clip-limits.ts';
import type { VideoFrame } from '../codec/codec.ts';
import { evenSize } from '../codec/even-size.ts';
import { YuvCanvas } from '../codec/yuv-canvas.ts';
import type { Renderer } from '../renderer.ts';
import type { LipSyncRequest } from '../lip-sync-engine.ts';
import { RenderError } from '../render-error.ts';
import type { RenderedVideo } from '../rendered.ts';
import { FaceTracker } from '../track/face-tracker.ts';
import { type FacedFrame, backAndForth } from './back-and-forth.ts';
import { mouthFromRecording } from './mouth-from-recording.ts';
import { MouthReplacer } from './mouth-replacer.ts';
import { findRestFace } from './rest-face.ts';

/** The frame rate to assume for clips whose header contains none. */
const FRAME_RATE = 25;

/** Animates the mouth of the person in a clip to speak a recording. */
export const lipSyncRenderer: Renderer<LipSyncRequest, RenderedVideo> = {
  request: z.object({
    videoPath: z.string(),
    audioPath: z.string(),
    resolutionP: z.union([z.literal(480), z.literal(720), z.literal(1080)]).optional(),
    outputPath: z.string(),
  }),

  async render({ videoPath, audioPath, resolutionP, outputPath }, tools, signal, progress) {
    const codec = await tools.codec();
    const { durationSeconds, ...clip } = await codec.probe(videoPath);
    const { width, height, frameRate } = requireVideo({ durationSeconds, ...clip });
    const mouth = await mouthFromRecording(codec, audioPath, signal, progress);
    const options = resolutionP === undefined ? {} : { shorterSide: resolutionP };
    const rest = await findRestFace(codec, tools.reader, videoPath, { ...options, signal, progress });
    if (!rest) throw new RenderError('face_not_detected', 'Cannot find a face in the clip');
    const size = evenSize(width, height, resolutionP);
    const canvas = new YuvCanvas(size.width, size.height);
    const clipFrames = withFaces(codec.readVideo(videoPath, options), new FaceTracker(tools.reader), canvas);
    const frames = backAndForth(clipFrames, {
      clipSeconds: durationSeconds,
      wantedSeconds: mouth.durationSeconds,
    });
    const replacer = new MouthReplacer(rest);
    await using writer = await codec.writeVideo({
      path: outputPath,
      ...size,
      frameRate: frameRate || FRAME_RATE,
      sound: { from: 'clip', path: audioPath },
    });
    for await (const { planes, face, start, duration } of cutAt(frames, mouth.durationSeconds)) {
      signal.throwIfAborted();
      canvas.show(planes);
      const changed = face && replacer.draw(canvas, face, shapeDuring(mouth, start, duration));
      if (changed) canvas.store(changed);
      await writer.add(planes, start, duration);
      progress();
    }
    signal.throwIfAborted();
    return { ...size, durationSeconds: await writer.finish(), mime: 'video/mp4' };
  },
};

async function* withFaces(
  frames: AsyncIterable<VideoFrame>,
  tracker: FaceTracker,
  canvas: YuvCanvas,
): AsyncGenerator<FacedFrame> {
  let count = 0;
  for await (const { planes, timestamp, duration } of frames) {
    requireWithinLimits(++count, timestamp + duration);
    canvas.show(planes);
    yield { planes, face: await tracker.next(canvas, timestamp), duration };
  }
}

/** Assigns each frame its time in the result, and ends when the recording ends. */
async function* cutAt(
  frames: AsyncIterable<FacedFrame>,
  seconds: number,
): AsyncGenerator<FacedFrame & { readonly start: number }> {
  let start = 0;
  for await (const frame of frames) {
    const duration = Math.min(frame.duration > 0 ? frame.duration : 1 / FRAME_RATE, seconds - start);
    yield { ...frame, start, duration };
    start += duration;
    if (start >= seconds - SHORTEST_FRAME_SECONDS) return;
  }
}

const SHORTEST_FRAME_SECONDS = 0.005;

/**
 * Returns the mouth shape in the middle of a frame. Closed lips must not be missed, so if the lips close at another
 * moment of the frame, it returns the shape at that moment instead.
 */
function shapeDuring(mouth: MouthTrack, start: number, duration: number): MouthShape {
  const moments = [0.5, 0.2, 0.8].map((share) => mouth.at(start + share * duration));
  return moments.reduce((chosen, shape) => (shape.press > chosen.press + 0.3 ? shape : chosen));
}
