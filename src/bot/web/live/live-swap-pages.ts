import type { LiveSwap } from '../../sessions/live-swap/live-swap.ts';

/** The part of live swaps that the pages use. */
export type LiveSwapPages = Pick<
  LiveSwap,
  'consent' | 'service' | 'limits' | 'enter' | 'hasPass' | 'hasOutput' | 'takeSeat' | 'watch'
>;
