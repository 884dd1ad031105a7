import { requireFewPixels } from './clip-limits.ts';

/**
 * Returns the nearest even size, scaled so that the shorter side is `shorterSide` if it is given. Throws `RenderError`
 * `input_too_large` if the scaled size exceeds the limit for clips.
 */
export function evenSize(
  width: number,
  height: number,
  shorterSide?: number,
): { width: number; height: number } {
  const scale = shorterSide === undefined ? 1 : shorterSide / Math.min(width, height);
  requireFewPixels(width * scale * height * scale);
  const even = (side: number): number => Math.max(2, 2 * Math.round((side * scale) / 2));
  return { width: even(width), height: even(height) };
}
