import { z } from 'zod';
import { type Size, evenSize, loadPortrait } from '../animate/load-portrait.ts';
import { requireVideo, requireWithinLimits } from '../codec/clip-limits.ts';
import type { Codec } from '../codec/codec.ts';
import type { Renderer, RenderTools } from '../renderer.ts';
import type { MotionTransferRequest } from '../motion-transfer-engine.ts';
import type { Pixels } from '../pixels.ts';
import { RenderError } from '../render-error.ts';
import type { RenderedVideo } from '../rendered.ts';
import { FaceTracker, type TrackedFace } from '../track/face-tracker.ts';
import { type DriverRange, DriverRangeFinder } from './driver-range.ts';
import { EasedMotion } from './eased-motion.ts';
import { MotionReader } from './motion-reader.ts';

const LONGER_SIDE_MAX = 1280;
/** Landmarks are as accurate at this size as at a larger one. */
const DRIVER_SHORTER_SIDE_MAX = 480;
/** The number of frames with a face that is sufficient to measure the driver at rest. */
const RANGE_PICTURES = 150;
const FRAME_RATE_DEFAULT = 25;

/** Animates the person in a picture to move like the person in a clip. */
export const motionRenderer: Renderer<MotionTransferRequest, RenderedVideo> = {
  request: z.object({ imagePath: z.string(), motionPath: z.string(), outputPath: z.string() }),

  async render({ imagePath, motionPath, outputPath }, tools, signal, progress) {
    const { rig, size } = await loadPortrait(imagePath, clipSize, tools);
    const codec = await tools.codec();
    const driver = await openDriver(codec, motionPath);
    const frame: Pixels = { ...size, data: new Uint8Array(size.width * size.height * 4) };
    const eased = new EasedMotion();
    const sound = { from: 'clip', path: motionPath } as const;
    await using writer = await codec.writeVideo({
      path: outputPath,
      ...size,
      frameRate: driver.frameRate,
      sound,
    });
    const draw = async (motion: MotionReader, { face, timestamp, duration }: Moment): Promise<void> => {
      signal.throwIfAborted();
      const read = face && motion.read(face.landmarks, face.rawLandmarks);
      rig.render(eased.next(read, duration), frame);
      await writer.add(frame, timestamp, duration);
      progress();
    };
    // The driver at rest must be known before the first frame is drawn. Until then the landmarks are queued.
    const finder = new DriverRangeFinder();
    const waiting: Moment[] = [];
    let motion: MotionReader | undefined;
    for await (const moment of track(driver, codec, tools.reader)) {
      signal.throwIfAborted();
      progress();
      if (motion) await draw(motion, moment);
      else {
        waiting.push(moment);
        if (moment.face) finder.add(moment.face.rawLandmarks);
        if (finder.count < RANGE_PICTURES) continue;
        motion = new MotionReader(rangeOf(finder), rig);
        for (const earlier of waiting.splice(0)) await draw(motion, earlier);
      }
    }
    motion ??= new MotionReader(rangeOf(finder), rig);
    for (const earlier of waiting) await draw(motion, earlier);
    return { ...size, durationSeconds: await writer.finish(), mime: 'video/mp4' };
  },
};

/** The driver's face in one frame of the clip. */
interface Moment {
  readonly face: TrackedFace | undefined;
  readonly timestamp: number;
  readonly duration: number;
}

interface Driver {
  readonly path: string;
  readonly frameRate: number;
  readonly options: { readonly shorterSide?: number };
}

async function openDriver(codec: Codec, path: string): Promise<Driver> {
  const video = requireVideo(await codec.probe(path));
  const shorterSide = DRIVER_SHORTER_SIDE_MAX;
  const isLarge = Math.min(video.width, video.height) > shorterSide;
  return { path, frameRate: video.frameRate || FRAME_RATE_DEFAULT, options: isLarge ? { shorterSide } : {} };
}

async function* track(
  { path, options }: Driver,
  codec: Codec,
  reader: RenderTools['reader'],
): AsyncGenerator<Moment> {
  const tracker = new FaceTracker(reader);
  let count = 0;
  for await (const { pixels, timestamp, duration } of codec.readVideo(path, options)) {
    requireWithinLimits(++count, timestamp + duration);
    yield { face: await tracker.next(pixels, timestamp), timestamp, duration };
  }
}

function rangeOf(finder: DriverRangeFinder): DriverRange {
  const range = finder.range();
  if (!range) throw new RenderError('face_not_detected', 'Cannot find a face in the motion clip');
  return range;
}

function clipSize(own: Size): Size {
  return evenSize(own, Math.min(1, LONGER_SIDE_MAX / Math.max(own.width, own.height)));
}
