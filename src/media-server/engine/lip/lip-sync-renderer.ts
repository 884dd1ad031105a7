import { z } from 'zod';
import type { MouthShape, MouthTrack } from '../animate/mouth-shape.ts';
import type { Codec } from '../codec/codec.ts';
import type { Renderer } from '../cpu/renderer.ts';
import type { FaceReader } from '../face/face-reader.ts';
import type { LipSyncRequest } from '../lip-sync.ts';
import { RenderError } from '../render-error.ts';
import type { RenderedVideo, ResolutionP } from '../rendered.ts';
import { FaceTracker } from '../track/face-tracker.ts';
import { type FacedFrame, backAndForth } from './back-and-forth.ts';
import { hearRecording } from './hear-recording.ts';
import { MouthReplacer } from './mouth-replacer.ts';
import { findRestFace } from './rest-face.ts';

/** For clips whose header does not tell. */
const FRAME_RATE = 25;
const RESOLUTIONS: readonly ResolutionP[] = [480, 720, 1080];

/** Makes the mouth of the person in a clip speak a recording. */
export const lipSyncRenderer: Renderer<LipSyncRequest, RenderedVideo> = {
  request: z.object({
    videoPath: z.string(),
    audioPath: z.string(),
    resolutionP: z.literal(RESOLUTIONS).optional(),
    outputPath: z.string(),
  }),

  async render({ videoPath, audioPath, resolutionP, outputPath }, tools, signal) {
    const codec = await tools.codec();
    const { reader } = tools;
    const { video, durationSeconds } = await codec.probe(videoPath);
    if (!video) throw new RenderError('unsupported_format', 'Cannot sync the lips: the clip has no pictures');
    const mouth = await hearRecording(codec, audioPath, signal);
    const size = resolutionP === undefined ? {} : { shorterSide: resolutionP };
    const rest = await findRestFace(codec, reader, videoPath, { ...size, signal });
    if (!rest) throw new RenderError('face_not_detected', 'Cannot find a face in the clip');
    const clip = withFaces(codec, reader, videoPath, size);
    const isEnough = durationSeconds > mouth.durationSeconds + 1;
    const { width, height } = rest.picture;
    await using writer = await codec.writeVideo({
      path: outputPath,
      width,
      height,
      frameRate: video.frameRate || FRAME_RATE,
      sound: { from: 'clip', path: audioPath },
    });
    const replacer = new MouthReplacer(rest);
    for await (const { pixels, face, start, duration } of cutAt(
      backAndForth(clip, isEnough),
      mouth.durationSeconds,
    )) {
      signal.throwIfAborted();
      if (face) replacer.draw(pixels, face, shapeDuring(mouth, start, duration));
      await writer.add(pixels, start, duration);
    }
    return { width, height, durationSeconds: await writer.finish(), mime: 'video/mp4' };
  },
};

async function* withFaces(
  codec: Codec,
  reader: FaceReader,
  path: string,
  size: { readonly shorterSide?: number },
): AsyncGenerator<FacedFrame> {
  const tracker = new FaceTracker(reader);
  for await (const { pixels, timestamp, duration } of codec.readVideo(path, size))
    yield { pixels, face: tracker.next(pixels, timestamp), duration };
}

/** Gives each frame its time in the result, and ends with the recording. */
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

/** The shape in the middle of a frame, but no closure of the lips in it may be missed. */
function shapeDuring(mouth: MouthTrack, start: number, duration: number): MouthShape {
  const moments = [0.5, 0.2, 0.8].map((share) => mouth.at(start + share * duration));
  return moments.reduce((chosen, shape) => (shape.press > chosen.press + 0.3 ? shape : chosen));
}
