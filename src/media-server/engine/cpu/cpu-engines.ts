import { availableParallelism } from 'node:os';
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { Disposer } from '../../../base/disposer.ts';
import type { Engines } from '../engines.ts';
import { CpuLiveSwap } from '../live/cpu-live-swap.ts';
import { RenderPool } from '../pool/render-pool.ts';
import type { CpuWorkerData, RenderTask } from './cpu-worker.ts';

export interface CpuEnginesOptions {
  /** Worker threads, each about 100 MB. Default: one less than the processor's cores, at least 1. */
  readonly workers?: number;
  /** A render that takes longer fails with `processing_failed`. Default 1,800,000 ms. */
  readonly renderTimeoutMs?: number;
  /** Renders that may wait for a worker; above it they fail with `processing_failed`. Default 64. */
  readonly queueLimit?: number;
  /** Nor is one that makes no progress for this long waited for. Default 60,000 ms. */
  readonly stallTimeoutMs?: number;
  /** Path or name of a system FFmpeg to read and write clips with. Default: the optional packages. */
  readonly ffmpeg?: string | undefined;
  /** Live streams at a time, each with a thread of its own. Default: one less than the cores, at least 1. */
  readonly livePlaces?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** All engines of this machine's processor; those for clips only where clips can be read and written. */
export interface CpuEngines extends Engines, AsyncDisposable {
  readonly photoSwap: NonNullable<Engines['photoSwap']>;
  readonly liveSwap: NonNullable<Engines['liveSwap']>;
}

const RENDER_TIMEOUT_MS = 1_800_000;

/**
 * The engines that run on this machine's processor. Throws when none can work here, naming the optional
 * package that is missing; without a codec it logs what to install and leaves out the engines for clips. The
 * caller disposes them. A render that throws may leave a part of a file behind.
 */
export async function createCpuEngines(options: CpuEnginesOptions = {}): Promise<CpuEngines> {
  const disposer = new Disposer();
  try {
    return await makeEngines(options, disposer);
  } catch (error) {
    await disposer[Symbol.asyncDispose]();
    throw error;
  }
}

async function makeEngines(options: CpuEnginesOptions, disposer: Disposer): Promise<CpuEngines> {
  const pool = disposer.use(await startRenderPool(options));
  const { livePlaces: places, ...shared } = options;
  const liveSwap = disposer.use(new CpuLiveSwap({ ...shared, ...(places === undefined ? {} : { places }) }));
  const render = <T>(task: RenderTask, answer: z.ZodType<T>, signal: AbortSignal): Promise<T> =>
    pool.run(task, signal).then((result) => answer.parse(result));
  const hasCodec = await canUseClips(pool, options.logger);
  const clips: Engines = {
    videoSwap: {
      swapVideo: (request, signal) => render({ kind: 'video_swap', request }, renderedVideo, signal),
    },
  };
  return {
    ...(hasCodec ? clips : {}),
    photoSwap: {
      swapPhoto: (request, signal) => render({ kind: 'photo_swap', request }, renderedImage, signal),
    },
    liveSwap,
    [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose](),
  };
}

async function canUseClips(pool: RenderPool, logger: Logger | undefined): Promise<boolean> {
  const task: RenderTask = { kind: 'check_codec', request: null };
  const problem = z
    .string()
    .nullable()
    .parse(await pool.run(task, new AbortController().signal));
  if (problem !== null) {
    const remedy = 'install mediabunny, @mediabunny/server and node-av, or set MEDIA_SERVER_FFMPEG';
    logger?.warn({ problem, remedy }, 'Video jobs are not offered: clips cannot be read and written here');
  }
  return problem === null;
}

/** The worker threads behind the engines; they answer `RenderTask`s. The caller disposes them. */
export function startRenderPool({ ffmpeg, ...options }: CpuEnginesOptions = {}): Promise<RenderPool> {
  const workerData: CpuWorkerData = { ffmpeg };
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return RenderPool.start({
    workerUrl: new URL(`cpu-worker.${extension}`, import.meta.url),
    workerData,
    renderTimeoutMs: RENDER_TIMEOUT_MS,
    ...options,
    workers: options.workers ?? Math.max(1, availableParallelism() - 1),
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
