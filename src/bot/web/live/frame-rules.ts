import type { FrameRules } from './live-wire.ts';

/** The size and rate of a page's pictures, low enough for one computer to convert and one connection to transfer. */
export const FRAME_RULES: Omit<FrameRules, 'aheadMax'> = {
  width: 640,
  height: 360,
  bytesMax: 1024 * 1024,
  perSecondMax: 60,
};
