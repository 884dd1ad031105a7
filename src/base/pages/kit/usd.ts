const MICROS_PER_USD = 1_000_000;
const MICROS_PER_CENT = 10_000;

/** Decimal text such as `1250.50` or `0.000125` of whole micro-dollars: at least two decimals, never rounded. */
export function decimalOf(micros: number): string {
  const absolute = Math.abs(micros);
  const fraction = String(absolute % MICROS_PER_USD)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${micros < 0 ? '-' : ''}${Math.trunc(absolute / MICROS_PER_USD)}.${fraction}`;
}

/** To the last digit, as `$1,250.50` or `$0.033455`. */
export function usdExactly(micros: number): string {
  const [whole = '', fraction = ''] = decimalOf(Math.abs(micros)).split('.');
  return `${micros < 0 ? '−' : ''}$${Number(whole).toLocaleString('en-US')}.${fraction}`;
}

/** In whole cents, as `$1.20`: for what runs, or is only about right. */
export function usd(micros: number): string {
  return usdExactly(Math.round(micros / MICROS_PER_CENT) * MICROS_PER_CENT);
}
