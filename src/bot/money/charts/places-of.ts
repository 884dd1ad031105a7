import type { SpendReport } from '../spend/spend-report.ts';
import { currentText, stepText } from './chart-text.ts';

const LABELS_MAX = 8;

/** One position on the time axis. */
export interface Place {
  /** Empty if there is no room for a label. */
  readonly label: string;
  readonly isCurrent: boolean;
}

/**
 * Returns the positions on the time axis: which steps of the period have a label, and which one contains the current
 * time.
 */
export function placesOf(report: SpendReport): readonly Place[] {
  const { buckets, nowMs, step } = report;
  const current = buckets.findIndex(({ startsAtMs, endsAtMs }) => startsAtMs <= nowMs && nowMs < endsAtMs);
  const every = Math.ceil(buckets.length / LABELS_MAX);
  // The current step's label is long and more important than its neighbours, which are left out where it covers them.
  const isCovered = (index: number): boolean =>
    current >= 0 && Math.abs(index - current) < Math.max(every, 1);
  return buckets.map(({ startsAtMs, endsAtMs }, index) => {
    const isCurrent = index === current;
    if (isCurrent) return { label: currentText(step), isCurrent };
    if (index % every !== 0 || (every > 1 && isCovered(index))) return { label: '', isCurrent };
    const isFew = buckets.length <= LABELS_MAX;
    if (index === 0 && report.isFirstLonger)
      return { label: `to ${stepText(report, endsAtMs - 1, isFew)}`, isCurrent };
    return { label: stepText(report, startsAtMs, isFew), isCurrent };
  });
}
