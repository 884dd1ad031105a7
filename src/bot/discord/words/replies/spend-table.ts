import { type MicroUsd, ZERO, addMicros, formatUsd } from '../../../../base/money.ts';
import type { SpendReport } from '../../../money/spend/spend-report.ts';
import { spentOnName } from './spend-words.ts';

const ROWS_MAX = 12;

type Sum = SpendReport['capabilities'][number];

/**
 * Shows the charges by capability in a fixed-width block: name, amount and share. Held amounts have a separate column
 * and are never added to the charges. Empty if there is nothing to show.
 */
export function spendTable({ capabilities, total }: Pick<SpendReport, 'capabilities' | 'total'>): string {
  const shown = capabilities.filter(({ posted, pending }) => posted > 0 || pending > 0);
  if (shown.length === 0) return '';
  const all = [
    ['', 'charged', '', 'set aside'],
    ...shown.slice(0, ROWS_MAX).map((sum) => rowOf(spentOnName(sum.capability), sum, total)),
    ...restRow(shown.slice(ROWS_MAX), total),
    rowOf('Together', total, ZERO_SHARE),
  ];
  const rows = total.pending > 0 ? all : all.slice(1).map((row) => row.slice(0, 3));
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map(([name = '', ...cells]) =>
    [name.padEnd(widths[0] ?? 0), ...cells.map((cell, index) => cell.padStart(widths[index + 1] ?? 0))]
      .join('  ')
      .trimEnd(),
  );
  return ['```', ...lines, '```'].join('\n');
}

/** The total to pass for a row whose share column stays empty. */
const ZERO_SHARE = { posted: ZERO };

function rowOf(
  name: string,
  { posted, pending }: Pick<Sum, 'posted' | 'pending'>,
  of: Pick<Sum, 'posted'>,
): string[] {
  return [name, formatUsd(posted), share(posted, of.posted), pending > 0 ? formatUsd(pending) : ''];
}

function restRow(rest: readonly Sum[], total: Pick<Sum, 'posted'>): string[][] {
  if (rest.length === 0) return [];
  const posted = addMicros(...rest.map((one) => one.posted));
  const pending = addMicros(...rest.map((one) => one.pending));
  return [rowOf(`${rest.length} others`, { posted, pending }, total)];
}

function share(part: MicroUsd, all: MicroUsd): string {
  if (part === ZERO || all === ZERO) return '';
  const percent = Math.round((part / all) * 100);
  return percent === 0 ? '<1 %' : `${percent} %`;
}
