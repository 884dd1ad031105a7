import type { SpendReport } from '../spend/spend-report.ts';

/** The content of a chart: a report, and the names of its capabilities. It contains no name that a member chose. */
export interface ChartRequest {
  readonly report: SpendReport;
  /** The display names, by the API's feature name. */
  readonly names: Readonly<Record<string, string>>;
}

/** Draws charts. Implemented in `src/bot/money/charts/chart-painter.ts`. */
export interface SpendCharts {
  /**
   * Returns the chart as a PNG; null if it cannot be drawn now, because too many charts are waiting or drawing failed.
   */
  draw(request: ChartRequest): Promise<Uint8Array | null>;
}
