import { ZERO, formatUsd } from '../../../base/money.ts';
import type { ChartData } from './chart-data.ts';
import type { ChartRequest } from './chart-request.ts';
import { aboutText, dayText, lastDayText, nameOf } from './chart-text.ts';

const PERIODS = {
  day: 'today',
  week: 'this week',
  month: 'this month',
  last_day: 'yesterday',
  last_week: 'last week',
  last_month: 'last month',
  total: 'in all',
} as const;

/** Returns the two lines above a chart: the amount charged, and its details. */
export function headingOf(
  { report, names }: ChartRequest,
  { capOfPeriod }: Pick<ChartData, 'capOfPeriod'>,
): { readonly text: string; readonly subtext: string } {
  const { period, capability, userId, forecast, timeZone, startsAtMs, endsAtMs, total, isNew } = report;
  const byWhen = period === 'day' ? 'by midnight' : `by ${lastDayText(timeZone, endsAtMs)}`;
  const parts = [
    ...(capability === null ? [] : [`${nameOf(names, capability)} only`]),
    ...(userId === null ? [] : ['one member']),
    ...(period === 'total' && !isNew ? [`since ${dayText(timeZone, startsAtMs)}`] : []),
    ...(capOfPeriod ? [`budget ${formatUsd(capOfPeriod.limit)}`] : []),
    ...(total.pending === ZERO ? [] : [`${formatUsd(total.pending)} set aside`]),
    ...(forecast === null ? [] : [`${aboutText(forecast)} ${byWhen}`]),
  ];
  return { text: `${formatUsd(total.posted)} ${PERIODS[period]}`, subtext: parts.join(' · ') };
}
