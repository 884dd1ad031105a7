const MICROS_PER_USD = 1_000_000;
const MICROS_PER_CENT = 10_000;

/**
 * Returns decimal text such as `1250.50` or `0.000125` for whole micro-dollars: at least two decimals, always exact.
 */
export function decimalOf(micros: number): string {
  const absolute = Math.abs(micros);
  const fraction = String(absolute % MICROS_PER_USD)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${micros < 0 ? '-' : ''}${Math.trunc(absolute / MICROS_PER_USD)}.${fraction}`;
}

/** Returns the exact amount, such as `$1,250.50` or `$0.033455`. */
export function usdExactly(micros: number): string {
  const [whole = '', fraction = ''] = decimalOf(Math.abs(micros)).split('.');
  return `${micros < 0 ? '−' : ''}$${Number(whole).toLocaleString('en-US')}.${fraction}`;
}

/** Returns the amount in whole cents, such as `$1.20`, for running totals and estimates. */
export function usd(micros: number): string {
  return usdExactly(Math.round(micros / MICROS_PER_CENT) * MICROS_PER_CENT);
}
