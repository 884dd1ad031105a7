import { serveLines } from '../../../base/children/serve-lines.ts';
import { pngOf } from './png-of.ts';
import type { ChartRequest } from './chart-request.ts';
import { svgOf } from './svg-of.ts';
import { spendChartOf } from './spend-chart.ts';

/**
 * The entry point of the chart-drawing process. Its requests come only from this program, so they are not validated.
 */
serveLines(async (request) => {
  const png = await pngOf(svgOf(spendChartOf(request as ChartRequest)));
  return { base64: Buffer.from(png).toString('base64') };
});
