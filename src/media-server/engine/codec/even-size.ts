import { requireFewPixels } from './clip-limits.ts';

/**
 * Scales a size so that its shorter side is `shorterSide`, if that is given, and rounds both sides to even numbers.
 * Throws `RenderError` `input_too_large` if the scaled size exceeds the limit for clips.
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
