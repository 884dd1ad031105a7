import type { SpendReport } from '../spend/spend-report.ts';
import { currentText, stepText } from './chart-text.ts';

const LABELS_MAX = 8;

/** One place along the time axis. */
export interface Place {
  /** Empty where there is no room for one. */
  readonly label: string;
  readonly isCurrent: boolean;
}

/** The time axis: which parts of the period are told by name, and which one now is. */
export function placesOf(report: SpendReport): readonly Place[] {
  const { buckets, nowMs, step } = report;
  const current = buckets.findIndex(({ startsAtMs, endsAtMs }) => startsAtMs <= nowMs && nowMs < endsAtMs);
  const every = Math.ceil(buckets.length / LABELS_MAX);
  // The name of now is long, and more important than that of its neighbours.
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
