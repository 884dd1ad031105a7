import { BarChart, LineChart } from 'echarts/charts';
import {
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TitleComponent,
} from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { SpendChart } from './spend-chart.ts';

use([
  BarChart,
  LineChart,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TitleComponent,
  SVGRenderer,
]);

/** Draws a chart as SVG. Loading this file loads the chart library. */
export function svgOf({ widthPx: width, heightPx: height, option }: SpendChart): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(option);
    return withoutCounts(chart.renderToSVGString());
  } finally {
    chart.dispose();
  }
}

/**
 * Removes the library's hover styles and the counters in its class names and ids, so that equal charts give equal
 * files.
 */
function withoutCounts(svg: string): string {
  return svg
    .replaceAll(/<style[^>]*>.*?<\/style>/gs, '')
    .replaceAll(/ class="zr\d+-cls-\d+"/g, '')
    .replaceAll(/\bzr\d+-/g, 'zr-');
}
