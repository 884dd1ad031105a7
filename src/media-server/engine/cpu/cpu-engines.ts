import { availableParallelism } from 'node:os';
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { Engines } from '../engines.ts';
import { RenderPool } from '../pool/render-pool.ts';
import type { RenderTask } from './cpu-worker.ts';

export interface CpuEnginesOptions {
  /** Worker threads, each about 100 MB. Default: one less than the processor's cores, at least 1. */
  readonly workers?: number;
  /** A render that takes longer fails with `processing_failed`. Default 1,800,000 ms. */
  readonly renderTimeoutMs?: number;
  /** Renders that may wait for a worker; above it they fail with `processing_failed`. Default 64. */
  readonly queueLimit?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** All engines of this machine's processor. The caller disposes them. */
export interface CpuEngines extends Engines, AsyncDisposable {
  readonly photoSwap: NonNullable<Engines['photoSwap']>;
  readonly identitySwap: NonNullable<Engines['identitySwap']>;
}

const RENDER_TIMEOUT_MS = 1_800_000;

/**
 * The engines that run on this machine's processor. Throws when they cannot work here, naming the optional
 * package that is missing. The caller disposes them. A render that throws may leave a part of a file behind.
 */
export async function createCpuEngines(options: CpuEnginesOptions = {}): Promise<CpuEngines> {
  const pool = await startRenderPool(options);
  const render = <T>(task: RenderTask, answer: z.ZodType<T>, signal: AbortSignal): Promise<T> =>
    pool.run(task, signal).then((result) => answer.parse(result));
  return {
    photoSwap: {
      swapPhoto: (request, signal) => render({ kind: 'photo_swap', request }, renderedImage, signal),
    },
    identitySwap: {
      swapIdentity: (request, signal) => render({ kind: 'identity_swap', request }, renderedVideo, signal),
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/** The worker threads behind the engines; they answer `RenderTask`s. The caller disposes them. */
export function startRenderPool(options: CpuEnginesOptions = {}): Promise<RenderPool> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return RenderPool.start({
    workerUrl: new URL(`cpu-worker.${extension}`, import.meta.url),
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
