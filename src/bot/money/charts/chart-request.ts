import type { SpendReport } from '../spend/spend-report.ts';

/** What a chart shows: a report, and what to call its capabilities. No name that a member chose is in it. */
export interface ChartRequest {
  readonly report: SpendReport;
  /** By the API's feature names. */
  readonly names: Readonly<Record<string, string>>;
}

/** Draws charts. Implemented in `src/bot/money/charts/chart-painter.ts`. */
export interface SpendCharts {
  /** The chart as PNG; null when it cannot be drawn now: too many are being drawn, or something is broken. */
  draw(request: ChartRequest): Promise<Uint8Array | null>;
}
