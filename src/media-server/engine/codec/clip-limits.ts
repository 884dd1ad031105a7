import { RenderError } from '../render-error.ts';
import type { ClipInfo } from './codec.ts';

/** Longer clips are refused, in seconds. */
export const CLIP_SECONDS_MAX = 600;
/** Clips with larger pictures are refused: a little more than 4K. */
export const CLIP_PIXELS_MAX: number = 4096 * 2304;
/** Pictures after these are refused: ten minutes at 60 per second. */
const CLIP_FRAMES_MAX = 36_000;

/**
 * The pictures' part of `clip`. Throws `RenderError`: `unsupported_format` when it has none, `input_too_large` when
 * its header promises more than the limits.
 */
export function requireVideo({ durationSeconds, video }: ClipInfo): NonNullable<ClipInfo['video']> {
  if (!video || !(video.width >= 1) || !(video.height >= 1)) {
    throw new RenderError('unsupported_format', 'Cannot use the clip: it has no pictures');
  }
  requireFewPixels(video.width * video.height);
  if (!(durationSeconds <= CLIP_SECONDS_MAX)) {
    throw tooLarge(`${Math.round(durationSeconds)} seconds, at most ${CLIP_SECONDS_MAX}`);
  }
  return video;
}

/** Throws `RenderError` `input_too_large` for pictures with more than `CLIP_PIXELS_MAX`. */
export function requireFewPixels(pixels: number): void {
  if (pixels <= CLIP_PIXELS_MAX) return;
  const megapixels = (pixels / 1e6).toFixed(1);
  throw tooLarge(`${megapixels} megapixels, at most ${(CLIP_PIXELS_MAX / 1e6).toFixed(1)}`);
}

/** The clips that do not keep to their header. Throws `RenderError` `input_too_large`. */
export function requireWithinLimits(frames: number, seconds: number): void {
  if (frames > CLIP_FRAMES_MAX) throw tooLarge(`more than ${CLIP_FRAMES_MAX} pictures`);
  if (seconds > CLIP_SECONDS_MAX + 1) throw tooLarge(`more than ${CLIP_SECONDS_MAX} seconds`);
}

function tooLarge(reason: string): RenderError {
  return new RenderError('input_too_large', `Cannot use the clip: ${reason}`);
}
