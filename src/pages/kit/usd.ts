const MICROS_PER_CENT = 10_000;

/** Whole micro-dollars as `$1.20`; below ten cents with up to four decimals, as `$0.0125`. */
export function usd(micros: number): string {
  const decimals = Math.abs(micros) < 10 * MICROS_PER_CENT && micros % MICROS_PER_CENT !== 0 ? 4 : 2;
  return (micros / 1_000_000).toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}
