import { rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { PhotoSwapEngine, PhotoSwapRequest, RenderedImage } from './photo-swap.ts';
import { RenderError } from './render-error.ts';
import type { PhotoTask } from './photo-worker.ts';
import { RenderPool } from './pool/render-pool.ts';

export interface CpuPhotoSwapOptions {
  /** Worker threads, each about 100 MB. Default: one less than the processor's cores, at least 1. */
  readonly workers?: number;
  /** A render that takes longer fails with `processing_failed`. Default 60,000 ms. */
  readonly renderTimeoutMs?: number;
  /** Renders that may wait for a worker; above it they fail with `processing_failed`. Default 64. */
  readonly queueLimit?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/**
 * The Photo Swap engine that runs on this machine's processor. Throws when it cannot work here, naming the optional
 * package that is missing. The caller disposes it. A swap that throws leaves no file at `outputPath`.
 */
export async function createCpuPhotoSwapEngine(options: CpuPhotoSwapOptions = {}): Promise<PhotoSwapEngine> {
  const pool = await startPhotoPool(options);
  return {
    swapPhoto: (request, signal) => swapPhoto(pool, request, signal),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/** The worker threads behind the engine; they answer `PhotoTask`s. The caller disposes them. */
export function startPhotoPool(options: CpuPhotoSwapOptions): Promise<RenderPool> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return RenderPool.start({
    workerUrl: new URL(`photo-worker.${extension}`, import.meta.url),
    ...options,
    workers: options.workers ?? Math.max(1, availableParallelism() - 1),
  });
}

const encodedPictureSchema = z.object({
  bytes: z.instanceof(Uint8Array),
  width: z.number(),
  height: z.number(),
  mime: z.enum(['image/jpeg', 'image/png']),
});

async function swapPhoto(
  pool: RenderPool,
  request: PhotoSwapRequest,
  signal: AbortSignal,
): Promise<RenderedImage> {
  const task: PhotoTask = { kind: 'swap', imagePath: request.imagePath, facePath: request.facePath };
  const { bytes, ...rendered } = encodedPictureSchema.parse(await pool.run(task, signal));
  try {
    await writeFile(request.outputPath, bytes, { signal });
  } catch (cause) {
    await rm(request.outputPath, { force: true });
    signal.throwIfAborted();
    throw new RenderError('processing_failed', 'Cannot store the result', { cause });
  }
  return rendered;
}
