import type { LiveSwapPages } from './live-swap-pages.ts';

/** The dependencies of the pages for live swaps. */
export interface LiveWeb {
  readonly pages: LiveSwapPages;
  /** The public address of the member's page; null if it has none. */
  readonly pageUrl: () => URL | null;
  readonly isOpen: () => boolean;
  /** Aborts when the bot stops. Afterwards, a host's server is in its original state. */
  readonly stopping: AbortSignal;
}
