import { z } from 'zod';
import type { ClipInfo, Codec } from '../codec/codec.ts';
import type { Renderer } from '../cpu/renderer.ts';
import { largestFace } from '../face/face.ts';
import type { FaceReader } from '../face/face-reader.ts';
import { type HeadCutout, cutHead } from '../head/head-cutout.ts';
import { HeadSwapper } from '../head/head-swapper.ts';
import type { IdentitySwapRequest } from '../identity-swap.ts';
import { onGrey } from '../photo/on-grey.ts';
import type { PictureFiles } from '../photo/picture-file.ts';
import { RenderError } from '../render-error.ts';
import type { RenderedVideo } from '../rendered.ts';
import { FaceTracker } from '../track/face-tracker.ts';
import { studyClip } from './clip-study.ts';

/** A character needs no more detail than this, in pixels of the whole picture. */
const CHARACTER_SIZE_MAX = 1600;
const DURATION_SECONDS_MAX = 600;
const LONGER_SIDE = { '1k': 1024, '2k': 2048 } as const;

/** Replaces the head of the person in a clip by the one in a picture. */
export const identitySwapRenderer: Renderer<IdentitySwapRequest, RenderedVideo> = {
  request: z.object({
    videoPath: z.string(),
    characterPath: z.string(),
    resolution: z.enum(['1k', '2k']),
    outputPath: z.string(),
  }),

  async render({ videoPath, characterPath, resolution, outputPath }, tools, signal) {
    const { files, reader } = tools;
    const clips = await tools.codec();
    const clip = checked(await clips.probe(videoPath));
    const cutout = await cutCharacter(characterPath, files, reader);
    const { width, height, frameRate } = clip.video;
    const scale = LONGER_SIDE[resolution] / Math.max(width, height);
    const size = { width: even(width * scale), height: even(height * scale) };
    const read = (): ReturnType<Codec['readVideo']> =>
      clips.readVideo(videoPath, { shorterSide: Math.min(width, height) * scale });
    const target = await studyClip(read(), clip.durationSeconds * frameRate, reader, signal);
    if (!target) throw new RenderError('face_not_detected', 'Cannot find a face in the clip');
    const swapper = new HeadSwapper(cutout, target);
    const tracker = new FaceTracker(reader);
    await using writer = await clips.writeVideo({
      path: outputPath,
      ...size,
      frameRate,
      sound: { from: 'clip', path: videoPath },
    });
    for await (const { pixels, timestamp, duration } of read()) {
      signal.throwIfAborted();
      const face = tracker.next(pixels, timestamp);
      if (face && face.weight > 0) swapper.swap(pixels, face);
      await writer.add(pixels, timestamp, duration);
    }
    return { ...size, durationSeconds: await writer.finish(), mime: 'video/mp4' };
  },
};

function checked(clip: ClipInfo): ClipInfo & { readonly video: NonNullable<ClipInfo['video']> } {
  const { video, durationSeconds } = clip;
  if (!video) throw new RenderError('unsupported_format', 'Cannot use the clip: it has no pictures');
  if (durationSeconds > DURATION_SECONDS_MAX) {
    const message = `Cannot use the clip: ${Math.ceil(durationSeconds)} s, at most ${DURATION_SECONDS_MAX}`;
    throw new RenderError('input_too_large', message);
  }
  return { ...clip, video };
}

async function cutCharacter(path: string, files: PictureFiles, reader: FaceReader): Promise<HeadCutout> {
  const picture = onGrey(await files.decode(path, 'character image', CHARACTER_SIZE_MAX));
  const face = largestFace(reader.find(picture));
  if (!face) throw new RenderError('face_not_detected', 'Cannot find a face in the character image');
  return cutHead(picture, face);
}

function even(side: number): number {
  return Math.max(2, 2 * Math.round(side / 2));
}
