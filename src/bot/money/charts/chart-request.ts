import type { SpendReport } from '../spend/spend-report.ts';

/** What a chart shows: a report, and names for its capabilities. It contains no name that a member chose. */
export interface ChartRequest {
  readonly report: SpendReport;
  /** The keys are the API's feature names. */
  readonly names: Readonly<Record<string, string>>;
}

/** Draws charts. Implemented in `src/bot/money/charts/chart-painter.ts`. */
export interface SpendCharts {
  /** The chart as PNG; null if it cannot be drawn now, because too many are being drawn or something is broken. */
  draw(request: ChartRequest): Promise<Uint8Array | null>;
}
