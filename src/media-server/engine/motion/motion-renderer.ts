import { z } from 'zod';
import { type Size, evenSize, loadPortrait } from '../animate/portrait.ts';
import type { Codec } from '../codec/codec.ts';
import type { Renderer, RenderTools } from '../cpu/renderer.ts';
import type { MotionTransferRequest } from '../motion-transfer.ts';
import type { Pixels } from '../pixels.ts';
import { RenderError } from '../render-error.ts';
import type { RenderedVideo } from '../rendered.ts';
import { FaceTracker } from '../track/face-tracker.ts';
import { type DriverRange, DriverRangeFinder } from './driver-range.ts';
import { EasedMotion } from './eased-motion.ts';
import { MotionReader } from './motion-reader.ts';

const LONGER_SIDE_MAX = 1280;
/** Landmarks are as good at this size as at a larger one. */
const DRIVER_SHORTER_SIDE_MAX = 480;
/** So many pictures with a face tell what the driver does at rest. */
const RANGE_PICTURES = 150;
const FRAME_RATE_DEFAULT = 25;

/** Makes the person in a picture move as the person in a clip does. */
export const motionRenderer: Renderer<MotionTransferRequest, RenderedVideo> = {
  request: z.object({ imagePath: z.string(), motionPath: z.string(), outputPath: z.string() }),

  async render({ imagePath, motionPath, outputPath }, tools, signal, progress) {
    const { rig, size } = await loadPortrait(imagePath, clipSize, tools);
    const codec = await tools.codec();
    const driver = await openDriver(codec, motionPath);
    const range = await findRange(driver, { codec, reader: tools.reader, progress }, signal);
    const motion = new MotionReader(range, rig);
    const eased = new EasedMotion();
    const tracker = new FaceTracker(tools.reader);
    const frame: Pixels = { ...size, data: new Uint8Array(size.width * size.height * 4) };
    const { frameRate } = driver;
    const sound = { from: 'clip', path: motionPath } as const;
    await using writer = await codec.writeVideo({ path: outputPath, ...size, frameRate, sound });
    for await (const { pixels, timestamp, duration } of codec.readVideo(motionPath, driver.options)) {
      signal.throwIfAborted();
      const face = tracker.next(pixels, timestamp);
      const read = face && motion.read(face.landmarks, face.rawLandmarks);
      rig.render(eased.next(read, duration), frame);
      await writer.add(frame, timestamp, duration);
      progress();
    }
    return { ...size, durationSeconds: await writer.finish(), mime: 'video/mp4' };
  },
};

interface Driver {
  readonly path: string;
  readonly frameRate: number;
  readonly options: { readonly shorterSide?: number };
}

async function openDriver(codec: Codec, path: string): Promise<Driver> {
  const { video } = await codec.probe(path);
  if (!video) throw new RenderError('unsupported_format', 'Cannot use the motion clip: it has no pictures');
  const shorterSide = DRIVER_SHORTER_SIDE_MAX;
  const isLarge = Math.min(video.width, video.height) > shorterSide;
  return { path, frameRate: video.frameRate || FRAME_RATE_DEFAULT, options: isLarge ? { shorterSide } : {} };
}

/** Watches the clip until the driver is known: to its end when no face shows before. */
async function findRange(
  { path, options }: Driver,
  { codec, reader, progress }: { codec: Codec; reader: RenderTools['reader']; progress: () => void },
  signal: AbortSignal,
): Promise<DriverRange> {
  const tracker = new FaceTracker(reader);
  const finder = new DriverRangeFinder();
  for await (const { pixels, timestamp } of codec.readVideo(path, options)) {
    signal.throwIfAborted();
    const face = tracker.next(pixels, timestamp);
    progress();
    if (face) finder.add(face.rawLandmarks);
    if (finder.count >= RANGE_PICTURES) break;
  }
  const range = finder.range();
  if (!range) throw new RenderError('face_not_detected', 'Cannot find a face in the motion clip');
  return range;
}

function clipSize(own: Size): Size {
  return evenSize(own, Math.min(1, LONGER_SIDE_MAX / Math.max(own.width, own.height)));
}
