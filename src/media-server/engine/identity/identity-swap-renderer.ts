import { z } from 'zod';
import { requireVideo, requireWithinLimits } from '../codec/clip-limits.ts';
import type { Codec } from '../codec/codec.ts';
import { evenSize } from '../codec/even-size.ts';
import { YuvCanvas } from '../codec/yuv-canvas.ts';
import type { Renderer } from '../renderer.ts';
import { largestFace } from '../face/face.ts';
import type { FaceReader } from '../face/face-reader.ts';
import { type HeadCutout, cutHead } from '../head/head-cutout.ts';
import { HeadSwapper, type TargetPerson } from '../head/head-swapper.ts';
import type { IdentitySwapRequest } from '../identity-swap-engine.ts';
import { onGrey } from '../photo/on-grey.ts';
import type { PictureFiles } from '../photo/picture-file.ts';
import { RenderError } from '../render-error.ts';
import type { RenderedVideo } from '../rendered.ts';
import { FaceTracker } from '../track/face-tracker.ts';
import { personAt, studyClip } from './study-clip.ts';

/**
 * A character picture is shrunk so that its longer side has at most this many pixels, because it needs no more detail.
 */
const CHARACTER_SIZE_MAX = 1600;
const LONGER_SIDE = { '1k': 1024, '2k': 2048 } as const;

/** Replaces the head of the person in a clip with the one in a picture. */
export const identitySwapRenderer: Renderer<IdentitySwapRequest, RenderedVideo> = {
  request: z.object({
    videoPath: z.string(),
    characterPath: z.string(),
    resolution: z.enum(['1k', '2k']),
    outputPath: z.string(),
  }),

  async render({ videoPath, characterPath, resolution, outputPath }, tools, signal, progress) {
    const codec = await tools.codec();
    const clip = await codec.probe(videoPath);
    const { width, height, frameRate } = requireVideo(clip);
    const cutout = await cutCharacter(characterPath, tools.files, tools.reader);
    progress();
    const shorterSide = (LONGER_SIDE[resolution] * Math.min(width, height)) / Math.max(width, height);
    const read = (): ReturnType<Codec['readVideo']> => codec.readVideo(videoPath, { shorterSide });
    const size = evenSize(width, height, shorterSide);
    const frameCount = clip.durationSeconds * frameRate;
    const scenes = await studyClip(read(), frameCount, tools.reader, { signal, progress });
    if (scenes.length === 0) throw new RenderError('face_not_detected', 'Cannot find a face in the clip');
    const canvas = new YuvCanvas(size.width, size.height);
    let swapper: HeadSwapper | undefined;
    const tracker = new FaceTracker(tools.reader);
    await using writer = await codec.writeVideo({
      path: outputPath,
      ...size,
      frameRate,
      sound: { from: 'clip', path: videoPath },
    });
    let count = 0;
    for await (const { planes, timestamp, duration } of read()) {
      signal.throwIfAborted();
      requireWithinLimits(++count, timestamp + duration);
      canvas.show(planes);
      const face = await tracker.next(canvas, timestamp);
      if (face?.isNew) swapper = swapperFor(personAt(scenes, timestamp), cutout, swapper);
      const changed = face && swapper?.swap(canvas, face);
      if (changed) canvas.store(changed);
      await writer.add(planes, timestamp, duration);
      progress();
    }
    signal.throwIfAborted();
    return { ...size, durationSeconds: await writer.finish(), mime: 'video/mp4' };
  },
};

/** Returns the current swapper, or a new one if the person has changed. */
function swapperFor(
  person: TargetPerson | undefined,
  cutout: HeadCutout,
  before: HeadSwapper | undefined,
): HeadSwapper | undefined {
  return person === undefined || person === before?.target ? before : new HeadSwapper(cutout, person);
}

async function cutCharacter(path: string, files: PictureFiles, reader: FaceReader): Promise<HeadCutout> {
  const picture = onGrey(await files.decode(path, 'character image', CHARACTER_SIZE_MAX));
  const face = largestFace(await reader.find(picture));
  if (!face) throw new RenderError('face_not_detected', 'Cannot find a face in the character image');
  return cutHead(picture, face);
}
