import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/log.ts';
import { ChartPainter } from '../../src/bot/money/charts/chart-painter.ts';
import { CONFINEMENT } from './use-media-pool.ts';

let shared: ChartPainter | undefined;

/**
 * Returns the painter that all tests of this process share, because starting a child takes longer than
 * drawing. Its children run in real time, whatever the test's clock shows, and end with this process.
 */
export function sharedCharts(): ChartPainter {
  const options = { confinement: CONFINEMENT, clock: systemClock, log: silentLogger };
  shared ??= new ChartPainter({ ...options, chartsPerProcess: 1_000 });
  return shared;
}
