import { availableParallelism } from 'node:os';

/**
 * When a render is given up, whoever runs it: half an hour, enough for a long clip on a slow machine. That a render
 * makes no progress is for its engine to notice, much sooner.
 */
export const RENDER_TIMEOUT_MS = 1_800_000;

/** Renders at once unless told otherwise: one less than the processor's cores, at least 1. */
export function defaultRenderWorkers(): number {
  return Math.max(1, availableParallelism() - 1);
}
