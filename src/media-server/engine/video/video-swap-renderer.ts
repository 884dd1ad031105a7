import { z } from 'zod';
import { requireVideo, requireWithinLimits } from '../codec/clip-limits.ts';
import type { VideoFrame } from '../codec/codec.ts';
import { evenSize } from '../codec/even-size.ts';
import { YuvCanvas } from '../codec/yuv-canvas.ts';
import type { Renderer, RenderTools } from '../renderer.ts';
import { largestFace } from '../face/face.ts';
import { onGrey } from '../photo/on-grey.ts';
import { RenderError } from '../render-error.ts';
import type { RenderedVideo } from '../rendered.ts';
import { FaceSwapper } from '../swap/face-swapper.ts';
import { type SourceFace, cutSourceFace } from '../swap/source-face.ts';
import { SwapMemory } from '../swap/swap-memory.ts';
import { FaceTracker } from '../track/face-tracker.ts';
import type { VideoSwapRequest } from '../video-swap-engine.ts';

/**
 * The picture of a source face is shrunk so that its longer side has at most this many pixels, because it needs no more
 * detail.
 */
const FACE_PICTURE_SIZE_MAX = 2560;

/**
 * Puts the largest face of a picture on the main face of a clip. Frames without a face, or with one that is turned
 * away, stay as they are; the sound is copied. The result keeps the frames' timestamps and is scaled up or down to the
 * requested size.
 */
export const videoSwapRenderer: Renderer<VideoSwapRequest, RenderedVideo> = {
  request: z.object({
    videoPath: z.string(),
    facePath: z.string(),
    resolutionP: z.union([z.literal(480), z.literal(720), z.literal(1080)]).optional(),
    outputPath: z.string(),
  }),

  async render({ videoPath, facePath, resolutionP, outputPath }, tools, signal, progress) {
    const codec = await tools.codec();
    const clip = requireVideo(await codec.probe(videoPath));
    const size = evenSize(clip.width, clip.height, resolutionP);
    const source = await readSource(tools, facePath);
    const frames = codec.readVideo(videoPath, resolutionP ? { shorterSide: resolutionP } : {});
    const swap = new FrameSwap(tools, source, size);
    await using writer = await codec.writeVideo({
      path: outputPath,
      ...size,
      frameRate: clip.frameRate,
      sound: { from: 'clip', path: videoPath },
    });
    let count = 0;
    for await (const frame of frames) {
      signal.throwIfAborted();
      requireWithinLimits(++count, frame.timestamp + frame.duration);
      await swap.apply(frame);
      await writer.add(frame.planes, frame.timestamp, frame.duration);
      progress();
    }
    if (!swap.sawFace) throw new RenderError('face_not_detected', 'Cannot find a face in the clip');
    signal.throwIfAborted();
    const durationSeconds = await writer.finish();
    return { ...size, durationSeconds, mime: 'video/mp4' };
  },
};

/** The swap of one clip, frame by frame. */
class FrameSwap {
  readonly #tracker: FaceTracker;
  readonly #swapper = new FaceSwapper();
  readonly #memory = new SwapMemory();
  readonly #source: SourceFace;
  readonly #canvas: YuvCanvas;
  #sawFace = false;

  constructor(
    { reader }: RenderTools,
    source: SourceFace,
    { width, height }: { readonly width: number; readonly height: number },
  ) {
    this.#tracker = new FaceTracker(reader);
    this.#source = source;
    this.#canvas = new YuvCanvas(width, height);
  }

  /** Whether any frame so far had a face, even if it was turned away. */
  get sawFace(): boolean {
    return this.#sawFace;
  }

  /** Swaps the face in the frame's planes, in place. */
  async apply({ planes, timestamp }: VideoFrame): Promise<void> {
    const canvas = this.#canvas;
    canvas.show(planes);
    const face = await this.#tracker.next(canvas, timestamp);
    if (!face) return;
    this.#sawFace = true;
    const memory = this.#memory;
    if (face.isNew) memory.reset();
    const { landmarks, weight } = face;
    const options = { weight, memory, seconds: timestamp };
    const changed = this.#swapper.swap(canvas, landmarks, this.#source, options);
    if (changed) canvas.store(changed);
  }
}

async function readSource({ files, reader }: RenderTools, facePath: string): Promise<SourceFace> {
  const person = onGrey(await files.decode(facePath, 'face image', FACE_PICTURE_SIZE_MAX));
  const face = largestFace(await reader.find(person));
  if (!face) throw new RenderError('face_not_detected', 'Cannot find a face in the face image');
  return cutSourceFace(person, face);
}
