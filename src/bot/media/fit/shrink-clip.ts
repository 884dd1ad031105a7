import { rename, rm, stat } from 'node:fs/promises';
import type * as mediabunny from 'mediabunny';
import { ignoreDecoderErrors } from '../../../base/children/ignore-decoder-errors.ts';
import { type ClipPlan, planClip } from './clip-plan.ts';
import type { FitTask } from './fit-task.ts';

type Mediabunny = typeof mediabunny;

const PROBE_PACKETS = 300;
/** An encoder may exceed its bit rate, so a second attempt with a lower target may be needed. */
const ATTEMPTS_MAX = 2;

/**
 * Encodes a clip as MP4 (H.264) and copies its sound. Returns false if the clip would only fit with an unacceptable
 * loss. Throws if the optional codec packages are missing or cannot read the clip. It must run in its own process.
 */
export async function shrinkClip(task: FitTask): Promise<boolean> {
  const bunny = await import('mediabunny');
  const { registerMediabunnyServer } = await import('@mediabunny/server');
  // With any value but null, the package would search for graphics cards.
  registerMediabunnyServer({ hardwareContext: null });
  ignoreDecoderErrors();
  const part = `${task.toPath}.part`;
  let goalBytes = task.bytesMax;
  try {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const sizeBytes = await encode(bunny, task.path, part, goalBytes);
      if (sizeBytes === undefined) return false;
      if (sizeBytes <= task.bytesMax) {
        await rename(part, task.toPath);
        return true;
      }
      goalBytes *= (task.bytesMax / sizeBytes) * 0.95;
    }
    return false;
  } finally {
    await rm(part, { force: true });
  }
}

/** Returns the size of the written file, or `undefined` if no plan fits. */
async function encode(
  bunny: Mediabunny,
  path: string,
  part: string,
  goalBytes: number,
): Promise<number | undefined> {
  const { MP4, QTFF, MATROSKA, WEBM } = bunny;
  using input = new bunny.Input({
    formats: [MP4, QTFF, MATROSKA, WEBM],
    source: new bunny.FilePathSource(path),
  });
  const plan = await planFor(input, goalBytes);
  if (!plan) return undefined;
  const { bitrate, shorterSide, isUpright } = plan;
  const output = new bunny.Output({
    format: new bunny.Mp4OutputFormat({ fastStart: 'in-memory' }),
    target: new bunny.FilePathTarget(part),
  });
  const conversion = await bunny.Conversion.init({
    input,
    output,
    tracks: 'primary',
    showWarnings: false,
    video: {
      codec: 'avc',
      bitrate,
      forceTranscode: true,
      ...(isUpright ? { width: shorterSide } : { height: shorterSide }),
    },
  });
  if (!conversion.isValid) throw new Error('Cannot encode the clip: its tracks cannot be converted');
  await conversion.execute();
  return (await stat(part)).size;
}

async function planFor(
  input: mediabunny.Input,
  goalBytes: number,
): Promise<(ClipPlan & { readonly isUpright: boolean }) | undefined> {
  const video = await input.getPrimaryVideoTrack();
  const audio = await input.getPrimaryAudioTrack();
  if (!video) return undefined;
  const pictures = await video.computePacketStats(PROBE_PACKETS);
  const sound = await audio?.computePacketStats();
  const { displayWidth: width, displayHeight: height } = video;
  const plan = planClip(
    {
      durationSeconds: await input.computeDuration(),
      width,
      height,
      frameRate: pictures.averagePacketRate,
      soundBitrate: sound?.averageBitrate ?? 0,
    },
    goalBytes,
  );
  return plan && { ...plan, isUpright: width < height };
}
