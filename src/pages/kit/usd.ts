const MICROS_PER_USD = 1_000_000;

/** Whole micro-dollars in whole cents, as `$1.20`: for what runs, or is only about right. */
export function usd(micros: number): string {
  return text(micros, 2);
}

/** The same to the last digit, as `$0.033455`, but with no less than two decimals. */
export function usdExactly(micros: number): string {
  return text(micros, 6);
}

function text(micros: number, decimals: number): string {
  return (micros / MICROS_PER_USD).toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: decimals,
  });
}
