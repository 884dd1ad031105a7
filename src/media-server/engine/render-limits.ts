import { availableParallelism } from 'node:os';

/**
 * The time after which any engine aborts a render: half an hour, which is enough for a long clip on a slow machine.
 * Engines detect a render without progress much sooner.
 */
export const RENDER_TIMEOUT_MS = 1_800_000;

/**
 * Returns the default number of renders that run at the same time: one less than the number of processor cores, at
 * least 1.
 */
export function defaultRenderWorkers(): number {
  return Math.max(1, availableParallelism() - 1);
}
