import { type MicroUsd, micros } from '../../../base/money.ts';

/** One job or session in an export. */
export interface SpendLine {
  readonly atMs: number;
  readonly userId: string;
  readonly capability: string;
  readonly state: string;
  /** The amount that is currently set aside: zero once the job has been charged or it is clear that it will not be. */
  readonly setAside: MicroUsd;
  readonly charged: MicroUsd;
  /** The part of `charged` that exceeded the amount set aside. */
  readonly overrun: MicroUsd;
  readonly jobId: string;
}

export const CSV_HEADER =
  'date,time,member,capability,state,set_aside_usd,charged_usd,above_hold_usd,job_id\r\n';

const MICROS_PER_USD = 1_000_000;
/** The characters that spreadsheets may read as the start of a formula. */
const FORMULA = /^[=+\-@\t\r\n|%]/;
const NEEDS_QUOTES = /[",;\r\n\t]/;

/** Returns a function that formats lines, with date, time and UTC offset in `timeZone`. */
export function csvWriter(timeZone: string): (line: SpendLine) => string {
  const clock = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  return (line) => {
    const parts = new Map(clock.formatToParts(line.atMs).map(({ type, value }) => [type, value]));
    const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
    // The value is "GMT+01:00", for example. For UTC, some versions of ICU write only "GMT".
    const offset = part('timeZoneName').slice(3) || '+00:00';
    const cells = [
      `${part('year')}-${part('month')}-${part('day')}`,
      `${part('hour')}:${part('minute')}:${part('second')}${offset}`,
      memberText(line.userId),
      line.capability,
      line.state,
      usdText(line.setAside),
      usdText(line.charged),
      usdText(line.overrun),
      line.jobId,
    ];
    return `${cells.map(cell).join(',')}\r\n`;
  };
}

/**
 * Writes a member as a mention, because spreadsheets would round a 19-digit id, and Discord shows the member when the
 * mention is pasted.
 */
function memberText(userId: string): string {
  return /^\d+$/.test(userId) ? `<@${userId}>` : userId;
}

/** Writes all six decimals without a currency sign, so that spreadsheets can add the amounts. */
function usdText(amount: MicroUsd): string {
  const absolute = Math.abs(micros(amount));
  const whole = Math.trunc(absolute / MICROS_PER_USD);
  return `${amount < 0 ? '-' : ''}${whole}.${String(absolute % MICROS_PER_USD).padStart(6, '0')}`;
}

function cell(text: string): string {
  const harmless = FORMULA.test(text) && !/^-?\d+\.\d+$/.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
