import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { Confinement } from '../../../base/children/confinement.ts';
import type { Clock } from '../../../base/clock.ts';
import { Disposer } from '../../../base/disposer.ts';
import { type Logger, silentLogger } from '../../../base/log.ts';
import { indexPartOf } from '../codec/fast-start.ts';
import type { Engines } from '../engines.ts';
import { LiveFrames } from '../live/live-frames.ts';
import { CpuLiveSwap } from '../live/cpu-live-swap.ts';
import { RenderPool, type RenderPoolOptions } from '../pool/render-pool.ts';
import { UnableError } from '../pool/render-worker.ts';
import { RENDER_TIMEOUT_MS, defaultRenderWorkers } from '../render-limits.ts';
import { Flite } from '../speech/flite.ts';
import { SPOKEN_LANGUAGES } from '../speech/speaker.ts';
import { CpuVoiceSwap } from '../voice/cpu-voice-swap.ts';
import type { CpuWorkerData, RenderTask } from './cpu-worker.ts';

export interface CpuEnginesOptions {
  /**
   * The number of worker processes, each of which takes about 200 MB. Default: the number of the processor's cores
   * minus 1, at least 1.
   */
  readonly workers?: number;
  /** The time after which a render fails with `processing_failed`. Default 1,800,000 ms. */
  readonly renderTimeoutMs?: number;
  /**
   * The number of renders that may wait for a worker; further renders fail with `processing_failed`.
   * Default 64.
   */
  readonly queueLimit?: number;
  /** The time without progress after which a render fails. Default 60,000 ms. */
  readonly stallTimeoutMs?: number;
  /** Path or name of a system FFmpeg that reads and writes clips. Default: the optional packages. */
  readonly ffmpeg?: string | undefined;
  /**
   * The number of live voice streams at the same time; each takes up to 2.5 % of a core. Default: 8 for each core, at
   * most 32.
   */
  readonly voiceStreams?: number;
  /**
   * The number of live streams at the same time, each with its own process. Default: the number of the processor's
   * cores minus 1, at least 1.
   */
  readonly livePlaces?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** The CPU engines that work on this machine. The voice engine is always one of them. */
export interface CpuEngines extends Engines, AsyncDisposable {
  readonly voiceSwap: NonNullable<Engines['voiceSwap']>;
}

/**
 * Creates the engines that run on this machine's processor. If an optional package is missing or does not load, it logs
 * what to install and leaves out the engines that need the package: without a codec, the engines for clips; without the
 * face networks, all engines except the voice engine. The caller disposes the engines. A render that throws leaves no
 * file behind.
 */
export async function createCpuEngines(options: CpuEnginesOptions = {}): Promise<CpuEngines> {
  const disposer = new Disposer();
  try {
    return await startEngines(options, disposer);
  } catch (error) {
    await disposer[Symbol.asyncDispose]();
    throw error;
  }
}

async function startEngines(options: CpuEnginesOptions, disposer: Disposer): Promise<CpuEngines> {
  const { voiceStreams: streamsMax } = options;
  const faceEngines = await startFaceEngines(options, disposer);
  const voiceSwap = disposer.use(
    await CpuVoiceSwap.start({
      ...sharedOptions(options),
      ...(streamsMax === undefined ? {} : { streamsMax }),
    }),
  );
  return { ...faceEngines, voiceSwap, [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose]() };
}

async function startFaceEngines(options: CpuEnginesOptions, disposer: Disposer): Promise<Engines> {
  const { livePlaces: places, logger } = options;
  const confinement = new Confinement({ log: logger ?? silentLogger });
  const pool = await startPoolIfAble(options, confinement);
  if (!pool) return {};
  disposer.use(pool);
  const live = { confinement, ...sharedOptions(options), ...(places === undefined ? {} : { places }) };
  const hasClips = await canUseClips(pool, logger);
  const seesLive = await isAvailable('Live Swap Pro', () => LiveFrames.load(), logger);
  return {
    rendersAtOnce: options.workers ?? defaultRenderWorkers(),
    ...(hasClips
      ? clipEngines(pool, await isAvailable('Avatar', () => Flite.requireInstalled(), logger))
      : {}),
    photoSwap: {
      swapPhoto: (request, signal) =>
        renderFile(pool, { kind: 'photo_swap', request }, renderedImage, signal),
    },
    ...(seesLive ? { liveSwap: disposer.use(new CpuLiveSwap(live)) } : {}),
  };
}

/** Returns the options that all engines share. */
function sharedOptions({ clock, logger }: CpuEnginesOptions): Pick<CpuEnginesOptions, 'clock' | 'logger'> {
  return { ...(clock ? { clock } : {}), ...(logger ? { logger } : {}) };
}

async function startPoolIfAble(
  options: CpuEnginesOptions,
  confinement: Confinement,
): Promise<RenderPool | undefined> {
  try {
    return await startRenderPool({ ...options, confinement });
  } catch (error) {
    if (!(error instanceof UnableError)) throw error;
    const remedy =
      'install @vladmandic/human and onnxruntime-node, which runs on Linux with glibc, Windows, and macOS on Apple silicon';
    options.logger?.warn(
      { problem: error.message, remedy },
      'Only voices are offered: faces cannot be found here, so neither pictures nor clips are rendered',
    );
    return undefined;
  }
}

function clipEngines(pool: RenderPool, speaks: boolean): Engines {
  const clip = (task: FileTask, signal: AbortSignal): Promise<z.infer<typeof renderedVideo>> =>
    renderFile(pool, task, renderedVideo, signal);
  return {
    videoSwap: { swapVideo: (request, signal) => clip({ kind: 'video_swap', request }, signal) },
    identitySwap: { swapIdentity: (request, signal) => clip({ kind: 'identity_swap', request }, signal) },
    motionTransfer: {
      transferMotion: (request, signal) => clip({ kind: 'motion_transfer', request }, signal),
    },
    ...(speaks
      ? {
          avatar: {
            languages: SPOKEN_LANGUAGES,
            speak: (request, signal) => clip({ kind: 'avatar', request }, signal),
          },
        }
      : {}),
    lipSync: { syncLips: (request, signal) => clip({ kind: 'lip_sync', request }, signal) },
  };
}

interface FileTask extends RenderTask {
  readonly request: { readonly outputPath: string };
}

/** Renders to a file and removes it after an error. Workers clean up after themselves, except when they are killed. */
async function renderFile<T>(
  pool: RenderPool,
  task: FileTask,
  answer: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await render(pool, task, answer, signal);
  } catch (error) {
    const { outputPath } = task.request;
    for (const path of [outputPath, indexPartOf(outputPath)]) await rm(path, { force: true });
    throw error;
  }
}

async function render<T>(
  pool: RenderPool,
  task: RenderTask,
  answer: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T> {
  return answer.parse(await pool.run(task, signal));
}

async function canUseClips(pool: RenderPool, logger: Logger | undefined): Promise<boolean> {
  const task: RenderTask = { kind: 'check_codec', request: null };
  const problem = await render(pool, task, z.string().nullable(), new AbortController().signal);
  if (problem !== null) {
    const remedy = 'install mediabunny, @mediabunny/server and node-av, or set MEDIA_SERVER_FFMPEG';
    logger?.warn({ problem, remedy }, 'Video jobs are not offered: clips cannot be read and written here');
  }
  return problem === null;
}

/** Returns whether `need` succeeds; if not, logs that the engine is not offered. */
async function isAvailable(what: string, need: () => unknown, logger: Logger | undefined): Promise<boolean> {
  try {
    await need();
    return true;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    logger?.warn({ problem }, `${what} is not offered`);
    return false;
  }
}

/** Starts the engines' worker processes, which run `RenderTask`s. The caller disposes the pool. */
export function startRenderPool({
  ffmpeg,
  ...options
}: CpuEnginesOptions & Pick<RenderPoolOptions, 'confinement'> = {}): Promise<RenderPool> {
  const workerData: CpuWorkerData = { ffmpeg };
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return RenderPool.start({
    workerUrl: new URL(`cpu-worker.${extension}`, import.meta.url),
    workerData,
    renderTimeoutMs: RENDER_TIMEOUT_MS,
    ...options,
    workers: options.workers ?? defaultRenderWorkers(),
  });
}

const renderedImage = z.object({
  width: z.number(),
  height: z.number(),
  mime: z.enum(['image/jpeg', 'image/png']),
});

const renderedVideo = z.object({
  width: z.number(),
  height: z.number(),
  durationSeconds: z.number(),
  mime: z.literal('video/mp4'),
});
