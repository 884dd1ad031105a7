import { type MicroUsd, ZERO, addMicros, subtractMicros } from '../../../base/money.ts';
import type { CapView } from '../caps/cap.ts';
import { forecastWithin } from '../spend/forecast-of.ts';
import { type SpendReport, capPeriodOf, tightestCap, usedOf } from '../spend/spend-report.ts';
import { inOrder } from './theme.ts';

/** The numbers that a chart shows. Each list has one number for each step of the time axis. */
export interface ChartData {
  /** The charges, stacked from the bottom up. */
  readonly stacks: readonly { readonly capability: string; readonly amounts: readonly MicroUsd[] }[];
  /** The amount set aside in each step, which is drawn above the charges; null if nothing is set aside. */
  readonly aside: readonly MicroUsd[] | null;
  /** The amount still expected in each step; null without a forecast. */
  readonly expected: readonly MicroUsd[] | null;
  /** The sum of all charges up to the end of each step; null for future steps. */
  readonly soFar: readonly (MicroUsd | null)[];
  /** The expected sum up to the end of each step; null for past steps, and for all steps without a forecast. */
  readonly goesOn: readonly (MicroUsd | null)[];
  /** The cap on one step of the time axis. */
  readonly capOfStep: CapView | undefined;
  /** The cap on the whole period. */
  readonly capOfPeriod: CapView | undefined;
  /** The height of the highest bar, including the amounts set aside and the forecast. */
  readonly highestBar: number;
  readonly highestTotal: number;
}

export function chartDataOf(report: SpendReport): ChartData {
  const expected = expectedOf(report);
  const bars = report.buckets.map(({ spent }, index) =>
    addMicros(expected?.[index] ?? ZERO, ...spent.map(usedOf)),
  );
  return {
    stacks: stacksOf(report),
    aside: asideOf(report),
    expected,
    soFar: soFarOf(report),
    goesOn: goesOnOf(report, expected),
    highestBar: Math.max(...bars),
    highestTotal: Math.max(report.total.posted, report.forecast ?? 0),
    capOfStep: report.step === 'hour' ? undefined : tightestCap(report, report.step),
    capOfPeriod: tightestCap(report, capPeriodOf(report.period)),
  };
}

function stacksOf({ capabilities, buckets }: SpendReport): ChartData['stacks'] {
  const charged = capabilities.filter(({ posted }) => posted > 0);
  return inOrder(charged.map(({ capability }) => capability)).map((capability) => ({
    capability,
    amounts: buckets.map(({ spent }) => {
      const sum = spent.find((entry) => entry.capability === capability);
      return sum?.posted ?? ZERO;
    }),
  }));
}

function asideOf({ buckets, total }: SpendReport): ChartData['aside'] {
  if (total.pending === ZERO) return null;
  return buckets.map(({ spent }) => addMicros(ZERO, ...spent.map(({ pending }) => pending)));
}

function expectedOf({
  forecast,
  buckets,
  startsAtMs,
  endsAtMs,
  nowMs,
  total,
}: SpendReport): ChartData['expected'] {
  if (forecast === null) return null;
  const pace = { startsAtMs, endsAtMs, nowMs, charged: total.posted };
  return buckets.map((bucket) =>
    bucket.endsAtMs <= nowMs
      ? ZERO
      : forecastWithin(pace, forecast, { ...bucket, startsAtMs: Math.max(bucket.startsAtMs, nowMs) }),
  );
}

function soFarOf({ buckets, nowMs }: SpendReport): ChartData['soFar'] {
  let sum = ZERO;
  return buckets.map(({ startsAtMs, spent }) => {
    sum = addMicros(sum, ...spent.map(({ posted }) => posted));
    return startsAtMs <= nowMs ? sum : null;
  });
}

/** Returns the dashed continuation of `soFar`: it starts where `soFar` ends, and ends at the forecast. */
function goesOnOf(
  { buckets, nowMs, total }: SpendReport,
  expected: ChartData['expected'],
): ChartData['goesOn'] {
  if (expected === null) return buckets.map(() => null);
  let sum = total.posted;
  return buckets.map(({ startsAtMs, endsAtMs }, index) => {
    if (endsAtMs <= nowMs) return null;
    const added = expected[index] ?? ZERO;
    sum = addMicros(sum, added);
    return startsAtMs <= nowMs && index < buckets.length - 1 ? subtractMicros(sum, added) : sum;
  });
}
