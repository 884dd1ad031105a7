/** Returns Pearson's correlation of two series of equal length, -1 to 1. */
export function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let [both, onlyA, onlyB] = [0, 0, 0];
  for (const [n, value] of a.entries()) {
    const [x, y] = [value - meanA, (b[n] ?? 0) - meanB];
    both += x * y;
    onlyA += x * x;
    onlyB += y * y;
  }
  return both / Math.sqrt(onlyA * onlyB);
}
