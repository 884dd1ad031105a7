import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { Disposer } from '../../../base/disposer.ts';
import type { Logger } from '../../../base/log.ts';
import type { Engines } from '../engines.ts';
import { CpuLiveSwap } from '../live/cpu-live-swap.ts';
import { RenderPool } from '../pool/render-pool.ts';
import { RENDER_TIMEOUT_MS, defaultRenderWorkers } from '../render-limits.ts';
import { CpuVoiceSwap } from '../voice/cpu-voice-swap.ts';
import type { RenderTask } from './cpu-worker.ts';

export interface CpuEnginesOptions {
  /** Worker threads, each about 100 MB. Default: one less than the processor's cores, at least 1. */
  readonly workers?: number;
  /** A render that takes longer fails with `processing_failed`. Default 1,800,000 ms. */
  readonly renderTimeoutMs?: number;
  /** Renders that may wait for a worker; above it they fail with `processing_failed`. Default 64. */
  readonly queueLimit?: number;
  /** Live voice streams at once, each up to 2.5 % of a core. Default: 8 for each core, at most 32. */
  readonly voiceStreams?: number;
  /** Live streams at a time, each with a thread of its own. Default: one less than the cores, at least 1. */
  readonly livePlaces?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** All engines of this machine's processor. The caller disposes them. */
export interface CpuEngines extends Engines, AsyncDisposable {
  readonly photoSwap: NonNullable<Engines['photoSwap']>;
  readonly voiceSwap: NonNullable<Engines['voiceSwap']>;
  readonly liveSwap: NonNullable<Engines['liveSwap']>;
}

/**
 * The engines that run on this machine's processor. Throws when they cannot work here, naming the optional
 * package that is missing. The caller disposes them. A render that throws may leave a part of a file behind.
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
  const { livePlaces: places, voiceStreams: streamsMax, clock, logger } = options;
  const shared = { ...(clock ? { clock } : {}), ...(logger ? { logger } : {}) };
  const pool = disposer.use(await startRenderPool(options));
  const liveSwap = disposer.use(new CpuLiveSwap({ ...shared, ...(places === undefined ? {} : { places }) }));
  const voiceSwap = disposer.use(
    await CpuVoiceSwap.start({ ...shared, ...(streamsMax === undefined ? {} : { streamsMax }) }),
  );
  const render = <T>(task: RenderTask, answer: z.ZodType<T>, signal: AbortSignal): Promise<T> =>
    pool.run(task, signal).then((result) => answer.parse(result));
  return {
    rendersAtOnce: options.workers ?? defaultRenderWorkers(),
    photoSwap: {
      swapPhoto: (request, signal) => render({ kind: 'photo_swap', request }, renderedImage, signal),
    },
    voiceSwap,
    liveSwap,
    [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose](),
  };
}

/** The worker threads behind the engines; they answer `RenderTask`s. The caller disposes them. */
export function startRenderPool(options: CpuEnginesOptions = {}): Promise<RenderPool> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return RenderPool.start({
    workerUrl: new URL(`cpu-worker.${extension}`, import.meta.url),
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
