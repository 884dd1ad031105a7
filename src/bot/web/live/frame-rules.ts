import type { FrameRules } from './live-wire.ts';

/** The size and rate of the pictures that a page sends. One computer can convert them, and one connection transfer. */
export const FRAME_RULES: Omit<FrameRules, 'aheadMax'> = {
  width: 640,
  height: 360,
  bytesMax: 1024 * 1024,
  perSecondMax: 60,
};
