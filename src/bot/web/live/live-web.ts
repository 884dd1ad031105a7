import type { LiveSwapPages } from './live-swap-pages.ts';

/** The dependencies of the pages for live swaps. */
export interface LiveWeb {
  readonly pages: LiveSwapPages;
  /** The public address of the member's page; null if it has none. */
  readonly pageUrl: () => URL | null;
  readonly isOpen: () => boolean;
  /** Aborts when the bot stops. The changes to a host's server are then undone. */
  readonly stopping: AbortSignal;
}
