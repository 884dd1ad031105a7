import type { FrameRules } from './live-wire.ts';

/** The pictures that a page must send. One computer can convert them, and one connection can transfer them. */
export const FRAME_RULES: Omit<FrameRules, 'aheadMax'> = {
  width: 640,
  height: 360,
  bytesMax: 1024 * 1024,
  perSecondMax: 60,
};
