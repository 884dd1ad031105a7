import { type MicroUsd, aboutMicros, formatUsd } from '../../../base/money.ts';
import type { SpendReport } from '../spend/spend-report.ts';
import type { ChartRequest } from './chart-request.ts';

const MICROS_PER_USD = 1_000_000;
const NAME_LENGTH_MAX = 24;

type Dates = Pick<SpendReport, 'step' | 'timeZone' | 'nowMs'>;

/** Formats an amount compactly, for an axis with round ticks: "$0.004", "$2.50", "$1,200", "$15k", "$2M". */
export function tickText(amount: number): string {
  const dollars = amount / MICROS_PER_USD;
  if (dollars >= 1_000_000) return `$${trimmed(dollars / 1_000_000)}M`;
  if (dollars >= 10_000) return `$${trimmed(dollars / 1_000)}k`;
  const minimumFractionDigits = Number.isInteger(dollars) ? 0 : 2;
  return `$${dollars.toLocaleString('en-US', { minimumFractionDigits, maximumFractionDigits: 6 })}`;
}

/** Returns the display name of a capability, shortened if needed. If there is none, the API's name is used. */
export function nameOf(names: ChartRequest['names'], capability: string): string {
  const name = names[capability] ?? capability;
  return name.length <= NAME_LENGTH_MAX ? name : `${name.slice(0, NAME_LENGTH_MAX - 1)}…`;
}

/** Rounds an amount and formats it, for example as "about $1.20". */
export function aboutText(amount: MicroUsd): string {
  return `about ${formatUsd(aboutMicros(amount))}`;
}

/** Returns the text below a bar that starts at `atMs`: an hour, a date or a month. */
export function stepText(
  { step, timeZone }: Pick<Dates, 'step' | 'timeZone'>,
  atMs: number,
  isFew: boolean,
): string {
  switch (step) {
    case 'hour':
      return dateText(timeZone, atMs, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    case 'day':
      return isFew
        ? dateText(
            timeZone,
            atMs,
            { weekday: 'short', day: 'numeric' },
            (part) => `${part('weekday')} ${part('day')}`,
          )
        : dateText(timeZone, atMs, { month: 'short', day: 'numeric' });
    case 'week':
      return dateText(timeZone, atMs, { month: 'short', day: 'numeric' });
    case 'month':
      return dateText(
        timeZone,
        atMs,
        { month: 'short', year: '2-digit' },
        (part) => `${part('month')} ’${part('year')}`,
      );
    default:
      return step satisfies never;
  }
}

/** Formats the last day of a span that ends at `endsAtMs` (excluded), such as "Nov 30". */
export function lastDayText(timeZone: string, endsAtMs: number): string {
  return dateText(timeZone, endsAtMs - 1, { month: 'short', day: 'numeric' });
}

/** Formats a date such as "Nov 2, 2025". */
export function dayText(timeZone: string, atMs: number): string {
  return dateText(timeZone, atMs, { month: 'short', day: 'numeric', year: 'numeric' });
}

const CURRENT = { hour: 'now', day: 'today', week: 'now', month: 'now' } as const;

/** Returns the label of the current step. */
export function currentText(step: Dates['step']): string {
  return CURRENT[step];
}

/** Returns the span of one bar in words, such as "per day". */
export function perStepText(step: Dates['step']): string {
  return `per ${step}`;
}

type PartOf = (type: Intl.DateTimeFormatPartTypes) => string;

function dateText(
  timeZone: string,
  atMs: number,
  fields: Intl.DateTimeFormatOptions,
  arrange?: (part: PartOf) => string,
): string {
  const format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', { timeZone, ...fields });
  if (!arrange) return format.format(atMs);
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
  return arrange((type) => parts.get(type) ?? '');
}

function trimmed(value: number): string {
  return String(Number(value.toFixed(2)));
}
