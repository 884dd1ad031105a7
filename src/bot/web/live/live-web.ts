import type { LiveSwapPages } from './live-swap-pages.ts';

/** What the pages of live swaps need. */
export interface LiveWeb {
  readonly pages: LiveSwapPages;
  /** Of the member's page as the outside reaches it; null: nobody does. */
  readonly pageUrl: () => URL | null;
  readonly isOpen: () => boolean;
  /** Aborts when the bot stops: a host's server is left as it was. */
  readonly stopping: AbortSignal;
}
