import { RenderError } from '../render-error.ts';
import type { ClipInfo } from './codec.ts';

/** The longest accepted clip, in seconds. */
export const CLIP_SECONDS_MAX = 600;
/** The largest accepted picture in a clip: slightly more than 4K. */
export const CLIP_PIXELS_MAX: number = 4096 * 2304;
/** The largest accepted number of pictures: ten minutes at 60 per second. */
const CLIP_FRAMES_MAX = 36_000;

/**
 * Returns the video part of `clip`. Throws `RenderError`: `unsupported_format` if it has no pictures,
 * `input_too_large` if its header exceeds the limits.
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

/** Throws `RenderError` `input_too_large` for pictures with more than `CLIP_PIXELS_MAX` pixels. */
export function requireFewPixels(pixels: number): void {
  if (pixels <= CLIP_PIXELS_MAX) return;
  const megapixels = (pixels / 1e6).toFixed(1);
  throw tooLarge(`${megapixels} megapixels, at most ${(CLIP_PIXELS_MAX / 1e6).toFixed(1)}`);
}

/** Throws `RenderError` `input_too_large` if a clip turns out to be larger than its header says. */
export function requireWithinLimits(frames: number, seconds: number): void {
  if (frames > CLIP_FRAMES_MAX) throw tooLarge(`more than ${CLIP_FRAMES_MAX} pictures`);
  if (seconds > CLIP_SECONDS_MAX + 1) throw tooLarge(`more than ${CLIP_SECONDS_MAX} seconds`);
}

function tooLarge(reason: string): RenderError {
  return new RenderError('input_too_large', `Cannot use the clip: ${reason}`);
}
