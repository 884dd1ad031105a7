import type { LiveSwapPages } from './live-swap-pages.ts';

/** The parts that the pages of live swaps need. */
export interface LiveWeb {
  readonly pages: LiveSwapPages;
  /** The public address of the member's page; null if it has none. */
  readonly pageUrl: () => URL | null;
  readonly isOpen: () => boolean;
  /** Aborts when the bot stops. Afterwards a host's server is as it was before. */
  readonly stopping: AbortSignal;
}
