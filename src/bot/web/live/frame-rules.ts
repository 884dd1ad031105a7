import type { FrameRules } from './live-wire.ts';

/** What a page should send: well within what one computer can be asked to change, and a line to carry. */
export const FRAME_RULES: Omit<FrameRules, 'aheadMax'> = {
  width: 640,
  height: 360,
  bytesMax: 1024 * 1024,
  perSecondMax: 60,
};
