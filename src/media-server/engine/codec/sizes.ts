/** The even size that is next to this one, scaled so that its shorter side is `shorterSide` when given. */
export function evenSize(
  width: number,
  height: number,
  shorterSide?: number,
): { width: number; height: number } {
  const scale = shorterSide === undefined ? 1 : shorterSide / Math.min(width, height);
  const even = (side: number): number => Math.max(2, 2 * Math.round((side * scale) / 2));
  return { width: even(width), height: even(height) };
}
