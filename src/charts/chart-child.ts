import { pngOf } from './chart-png.ts';
import type { ChartRequest } from './chart-request.ts';
import { svgOf } from './chart-svg.ts';
import { spendChartOf } from './spend-chart.ts';

/** A process that draws one chart: takes a request, answers with the picture's bytes, and is ended by who asked. */
process.once('message', (request: ChartRequest) => {
  void pngOf(svgOf(spendChartOf(request))).then((png) => process.send?.(png));
});
process.once('disconnect', () => process.exit(1));
