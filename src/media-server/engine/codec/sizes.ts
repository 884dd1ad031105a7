import { requireFewPixels } from './clip-limits.ts';

/**
 * The even size that is next to this one, scaled so that its shorter side is `shorterSide` when given. Throws
 * `RenderError` `input_too_large` when the shape of the clip makes it larger than any clip may be.
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
