import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MediabunnyCodec } from '../../src/media-server/engine/codec/mediabunny-codec.ts';
import type { MediaCaseFigures, MediaCaseInput } from './media-case.ts';

/** One line of the table: a job and its baseline, which does the minimum that every job of this kind has to do. */
export interface MediaRow {
  readonly name: string;
  readonly frames: number;
  readonly framesPerSecond: number;
  readonly msPerFrame: number;
  /** Processor time of all processes, which does not depend on other load on the machine. */
  readonly processorMsPerFrame: number;
  readonly residentMegabytesMax: number;
  readonly baselineFramesPerSecond: number;
  readonly baselineProcessorMsPerFrame: number;
  /** The job's frames per second relative to the baseline's. */
  readonly share: number;
}

const CLIP = fileURLToPath(new URL('../samples/talking-man-640x360.mp4', import.meta.url));
const FACE = fileURLToPath(new URL('../samples/portrait-man-elderly.jpg', import.meta.url));
const DRIVER = fileURLToPath(new URL('../samples/talking-woman-512.mp4', import.meta.url));
const PORTRAIT = fileURLToPath(new URL('../samples/portrait-man-short-hair.png', import.meta.url));
const SPEECH = fileURLToPath(new URL('../samples/speech-man-48k.wav', import.meta.url));
const CASE = fileURLToPath(new URL('media-case.ts', import.meta.url));
const HEIGHTS = [360, 720, 1080];

/** Measures clip jobs, each in a new process, compared with a bare decode and encode of the same clip. */
export async function benchMedia(): Promise<MediaRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    const rows: MediaRow[] = [];
    for (const height of HEIGHTS) {
      const videoPath = join(folder, `${height}.mp4`);
      const frames = await scaled(CLIP, videoPath, height);
      const files = { videoPath, facePath: FACE, outputPath: join(folder, 'out.mp4') };
      const baseline = await measure({ kind: 'codec', ...files });
      rows.push(
        row(`video swap ${height}p`, frames, await measure({ kind: 'video_swap', ...files }), baseline),
      );
    }
    rows.push(...(await identitySwaps(folder)));
    rows.push(...(await portraits(join(folder, 'out.mp4'))));
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures clips that already have the result's size, so that the baseline encodes the same number of pixels. */
async function identitySwaps(folder: string): Promise<MediaRow[]> {
  const rows: MediaRow[] = [];
  for (const [resolution, height] of [
    ['1k', 576],
    ['2k', 1152],
  ] as const) {
    const videoPath = join(folder, `${resolution}.mp4`);
    const frames = await scaled(CLIP, videoPath, height);
    const files = { videoPath, facePath: FACE, outputPath: join(folder, 'out.mp4') };
    const baseline = await measure({ kind: 'codec', ...files });
    const job = await measure({ kind: `identity_swap_${resolution}`, ...files });
    rows.push(row(`identity swap ${resolution}`, frames, job, baseline));
  }
  return rows;
}

/**
 * Measures 512 x 512 clips: a portrait that follows a clip, a portrait that speaks, and a person whose lips follow a
 * recording.
 */
async function portraits(outputPath: string): Promise<MediaRow[]> {
  const files = { videoPath: DRIVER, facePath: PORTRAIT, outputPath };
  const frames = 145;
  const baseline = await measure({ kind: 'codec', ...files });
  const moved = row(
    'motion transfer 512p',
    frames,
    await measure({ kind: 'motion_transfer', ...files }),
    baseline,
  );
  const spoken = await speaking('avatar 512p', { kind: 'avatar', ...files }, baseline, frames);
  const lips = { kind: 'lip_sync', ...files, audioPath: SPEECH } as const;
  return [moved, spoken, await speaking('lip sync 512p', lips, baseline, frames)];
}

/** Measures a job whose length depends on its sound, compared with a baseline with the same number of pictures. */
async function speaking(
  name: string,
  input: MediaCaseInput,
  baseline: MediaCaseFigures,
  baselineFrames: number,
): Promise<MediaRow> {
  const job = await measure(input);
  const { video, durationSeconds } = await (await MediabunnyCodec.load()).probe(input.outputPath);
  const frames = Math.round(durationSeconds * (video?.frameRate ?? 0));
  const share = frames / baselineFrames;
  return row(name, frames, job, {
    ...baseline,
    elapsedMs: baseline.elapsedMs * share,
    processorMs: baseline.processorMs * share,
  });
}

/** Writes the clip, scaled so that its shorter side has this length in pixels, and returns its number of pictures. */
async function scaled(from: string, to: string, shorterSide: number): Promise<number> {
  const codec = await MediabunnyCodec.load();
  const { video } = await codec.probe(from);
  if (!video) throw new TypeError('Cannot measure without pictures');
  const width = Math.round((video.width * shorterSide) / video.height / 2) * 2;
  const size = { width, height: shorterSide, frameRate: video.frameRate };
  await using writer = await codec.writeVideo({ path: to, ...size, sound: { from: 'clip', path: from } });
  let frames = 0;
  for await (const { planes, timestamp, duration } of codec.readVideo(from, { shorterSide })) {
    await writer.add(planes, timestamp, duration);
    frames++;
  }
  await writer.finish();
  return frames;
}

async function measure(input: MediaCaseInput): Promise<MediaCaseFigures> {
  const { stdout } = await promisify(execFile)(process.execPath, [CASE, JSON.stringify(input)]);
  return JSON.parse(stdout) as MediaCaseFigures;
}

function row(name: string, frames: number, job: MediaCaseFigures, baseline: MediaCaseFigures): MediaRow {
  const framesPerSecond = (frames * 1000) / job.elapsedMs;
  const baselineFramesPerSecond = (frames * 1000) / baseline.elapsedMs;
  return {
    name,
    frames,
    framesPerSecond,
    msPerFrame: job.elapsedMs / frames,
    processorMsPerFrame: job.processorMs / frames,
    residentMegabytesMax: job.residentMegabytesMax,
    baselineFramesPerSecond,
    baselineProcessorMsPerFrame: baseline.processorMs / frames,
    share: framesPerSecond / baselineFramesPerSecond,
  };
}
