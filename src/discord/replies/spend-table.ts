import { type MicroUsd, formatUsd } from '../../base/money.ts';
import type { SpendReport } from '../../ledger/spend-report.ts';
import { spentOnName } from './spend-words.ts';

const ROWS_MAX = 12;

type Sum = SpendReport['capabilities'][number];

/** What was spent on each capability, in a block of fixed width: name, amount, share. Empty where nothing was. */
export function spendTable({ capabilities, total }: Pick<SpendReport, 'capabilities' | 'total'>): string {
  const all = used(total);
  const spent = capabilities.filter((sum) => used(sum) > 0);
  if (spent.length === 0) return '';
  const rows = [
    ...spent
      .slice(0, ROWS_MAX)
      .map((sum) => [spentOnName(sum.capability), formatUsd(used(sum)), share(used(sum), all)]),
    ...restRow(spent.slice(ROWS_MAX), all),
    ['Together', formatUsd(all), ''],
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map(([name = '', amount = '', part = '']) =>
    `${name.padEnd(widths[0] ?? 0)}  ${amount.padStart(widths[1] ?? 0)}  ${part.padStart(widths[2] ?? 0)}`.trimEnd(),
  );
  return ['```', ...lines, '```'].join('\n');
}

function restRow(rest: readonly Sum[], all: number): string[][] {
  if (rest.length === 0) return [];
  const sum = rest.reduce((so, one) => so + used(one), 0) as MicroUsd;
  return [[`${rest.length} others`, formatUsd(sum), share(sum, all)]];
}

function used({ posted, pending }: Pick<Sum, 'posted' | 'pending'>): MicroUsd {
  return (posted + pending) as MicroUsd;
}

function share(part: number, all: number): string {
  const percent = Math.round((part / all) * 100);
  return percent === 0 ? '<1 %' : `${percent} %`;
}
