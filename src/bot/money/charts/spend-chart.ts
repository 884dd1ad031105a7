import type { BarSeriesOption, LineSeriesOption } from 'echarts/charts';
import type {
  GridComponentOption,
  LegendComponentOption,
  MarkAreaComponentOption,
  MarkLineComponentOption,
  TitleComponentOption,
} from 'echarts/components';
import type { ComposeOption } from 'echarts/core';
import { formatUsd } from '../../../base/money.ts';
import type { CapView } from '../caps/cap.ts';
import { type ChartData, chartDataOf } from './chart-data.ts';
import { type Place, placesOf } from './places-of.ts';
import type { ChartRequest } from './chart-request.ts';
import { nameOf, perStepText, tickText } from './chart-text.ts';
import { headingOf } from './heading-of.ts';
import { THEME, colourOf } from './theme.ts';

type SpendChartOption = ComposeOption<
  | BarSeriesOption
  | LineSeriesOption
  | GridComponentOption
  | LegendComponentOption
  | TitleComponentOption
  | MarkLineComponentOption
  | MarkAreaComponentOption
>;

/** A chart as the chart library expects it, and its size in pixels on the screen. */
export interface SpendChart {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly option: SpendChartOption;
}

type OneOf<T> = T extends readonly (infer Item)[] ? Item : never;
type TimeAxis = OneOf<SpendChartOption['xAxis']>;
type MoneyAxis = OneOf<SpendChartOption['yAxis']>;

const WIDTH_PX = 960;
const LEFT_PX = 116;
const RIGHT_PX = 36;
const LEGEND_ROW_PX = 50;
const FONT = 'Noto Sans';
const FORECAST = 'Forecast';
const ASIDE = 'Set aside';
/**
 * A limit that is more than this many times as high as the highest amount in the panel is written as text. Drawn as a
 * line, it would flatten everything else.
 */
const LINE_ABOVE_MAX = 6;

/** The vertical positions of the parts of the picture, measured from the top. */
interface Layout {
  readonly heightPx: number;
  readonly total: { readonly top: number; readonly height: number } | null;
  readonly bars: { readonly top: number; readonly height: number };
}

/** Describes the chart for the chart library, which draws it later. The same request always gives the same chart. */
export function spendChartOf(request: ChartRequest): SpendChart {
  const { report } = request;
  const data = chartDataOf(report);
  const heading = titleOf(headingOf(request, data));
  if (report.capabilities.every(({ posted, pending }) => posted + pending === 0)) {
    return { widthPx: WIDTH_PX, heightPx: 360, option: emptyOption(heading, report.isNew) };
  }
  const places = placesOf(report);
  const layout = layoutOf(data, legendRows(legendNames(request, data)));
  const captions = [
    ...(layout.total
      ? captionsOf('Total so far', layout.total.top, hiddenCap(data.capOfPeriod, data.highestTotal))
      : []),
    ...captionsOf(
      `Spent ${perStepText(report.step)}`,
      layout.bars.top,
      hiddenCap(data.capOfStep, data.highestBar),
    ),
  ];
  const panels = layout.total ? [layout.total, layout.bars] : [layout.bars];
  const option: SpendChartOption = {
    ...COMMON,
    title: [heading, ...captions],
    legend: legendOf(request, data),
    grid: panels.map(({ top, height }) => ({ left: LEFT_PX, right: RIGHT_PX, top, height })),
    xAxis: panels.map((panel, gridIndex) => timeAxis(places, gridIndex, panel === layout.bars)),
    yAxis: panels.map((panel, gridIndex) => moneyAxis(gridIndex, panel === layout.bars ? 4 : 3)),
    series: [
      ...(layout.total ? totalSeries(data, places) : []),
      ...barSeries(request, data, { places, panel: panels.length - 1 }),
    ],
  };
  return { widthPx: WIDTH_PX, heightPx: layout.heightPx, option };
}

const COMMON: SpendChartOption = {
  animation: false,
  backgroundColor: THEME.background,
  textStyle: { fontFamily: FONT, fontSize: 22, color: THEME.muted },
};

function layoutOf(data: ChartData, rows: number): Layout {
  const total = data.capOfPeriod ? { top: 186, height: 170 } : null;
  const bars = total ? { top: 436, height: 190 } : { top: 190, height: 270 };
  return { heightPx: bars.top + bars.height + 68 + rows * LEGEND_ROW_PX, total, bars };
}

function emptyOption(heading: TitleComponentOption, isNew: boolean): SpendChartOption {
  const nothing: TitleComponentOption = {
    text: isNew ? 'Nothing spent yet' : 'Nothing spent in this time',
    left: 'center',
    top: 190,
    textStyle: { fontFamily: FONT, fontSize: 34, fontWeight: 'normal', color: THEME.muted },
  };
  return { ...COMMON, title: [heading, nothing] };
}

function titleOf({ text, subtext }: { text: string; subtext: string }): TitleComponentOption {
  return {
    text,
    subtext,
    left: 32,
    top: 26,
    padding: 0,
    itemGap: 10,
    textStyle: { fontFamily: FONT, fontSize: 38, fontWeight: 'bold', color: THEME.text },
    subtextStyle: { fontFamily: FONT, fontSize: 24, color: THEME.muted },
  };
}

/** Returns the title of a panel and, to its right, the budget if the panel has no room for the budget's line. */
function captionsOf(text: string, panelTop: number, hidden: CapView | undefined): TitleComponentOption[] {
  const common = { top: panelTop - 46, padding: 0 };
  const textStyle = { fontFamily: FONT, fontSize: 24, color: THEME.text };
  const caption: TitleComponentOption = {
    ...common,
    text,
    left: 32,
    textStyle: { ...textStyle, fontWeight: 'bold' },
  };
  if (!hidden) return [caption];
  const budget: TitleComponentOption = {
    ...common,
    text: capText(hidden),
    right: RIGHT_PX,
    textStyle: { ...textStyle, fontSize: 22, fontWeight: 'normal', color: THEME.budget },
  };
  return [caption, budget];
}

function shownCap(cap: CapView | undefined, highest: number): CapView | undefined {
  return cap && cap.limit <= LINE_ABOVE_MAX * highest ? cap : undefined;
}

function hiddenCap(cap: CapView | undefined, highest: number): CapView | undefined {
  return shownCap(cap, highest) ? undefined : cap;
}

function timeAxis(places: readonly Place[], gridIndex: number, isLabelled: boolean): TimeAxis {
  return {
    type: 'category',
    gridIndex,
    // Categories are identified by their position, because several have no label.
    data: places.map((_, index) => String(index)),
    axisLine: { lineStyle: { color: THEME.line, width: 2 } },
    axisTick: { show: false },
    axisLabel: {
      show: isLabelled,
      interval: 0,
      hideOverlap: false,
      margin: 12,
      fontFamily: FONT,
      fontSize: 22,
      color: THEME.muted,
      rich: { current: { fontFamily: FONT, fontSize: 22, fontWeight: 'bold', color: THEME.text } },
      formatter: (_value: string, index: number) => {
        const place = places[index];
        return place?.isCurrent ? `{current|${place.label}}` : (place?.label ?? '');
      },
    },
  };
}

function moneyAxis(gridIndex: number, splitNumber: number): MoneyAxis {
  return {
    type: 'value',
    gridIndex,
    min: 0,
    minInterval: 1,
    splitNumber,
    splitLine: { lineStyle: { color: THEME.line } },
    axisLabel: { fontFamily: FONT, fontSize: 22, color: THEME.muted, margin: 14, formatter: tickText },
  };
}

function barSeries(
  { names }: ChartRequest,
  data: ChartData,
  { places, panel }: { readonly places: readonly Place[]; readonly panel: number },
): (BarSeriesOption | LineSeriesOption)[] {
  const common = {
    type: 'bar',
    stack: 'spent',
    xAxisIndex: panel,
    yAxisIndex: panel,
    barCategoryGap: '26%',
    barMaxWidth: 90,
  } as const;
  const bars = data.stacks.map(({ capability, amounts }): BarSeriesOption => ({
    ...common,
    name: nameOf(names, capability),
    data: amounts.map(drawn),
    itemStyle: { color: colourOf(capability), borderColor: THEME.background, borderWidth: 1 },
  }));
  const aside: BarSeriesOption[] = data.aside
    ? [{ ...common, name: ASIDE, data: data.aside.map(drawn), itemStyle: OUTLINED }]
    : [];
  const [first, ...others] = [...bars, ...aside];
  if (!first) return [];
  const cap = shownCap(data.capOfStep, data.highestBar);
  return [
    { ...first, markArea: nowArea(places), ...(cap ? budgetLine(cap, 'end') : {}) },
    ...others,
    ...(cap ? [reachOf(cap, panel)] : []),
    ...(data.expected
      ? [{ ...common, name: FORECAST, data: data.expected.map(drawn), itemStyle: HATCHED }]
      : []),
  ];
}

/** Amounts set aside, which may be released again, are drawn as a frame with almost no fill. */
const OUTLINED: NonNullable<BarSeriesOption['itemStyle']> = {
  color: 'rgba(219, 222, 225, 0.06)',
  borderColor: THEME.total,
  borderWidth: 2,
};

/** Omits empty bars, because a bar without height would still show its edge. */
function drawn(amount: number): number | null {
  return amount === 0 ? null : amount;
}

const HATCHED: NonNullable<BarSeriesOption['itemStyle']> = {
  color: 'rgba(219, 222, 225, 0.10)',
  borderColor: 'rgba(219, 222, 225, 0.45)',
  borderWidth: 1,
  decal: {
    symbol: 'rect',
    color: 'rgba(219, 222, 225, 0.35)',
    dashArrayX: [1, 0],
    dashArrayY: [2, 6],
    rotation: -Math.PI / 4,
  },
};

function totalSeries(data: ChartData, places: readonly Place[]): LineSeriesOption[] {
  const { soFar, goesOn, highestTotal } = data;
  const cap = shownCap(data.capOfPeriod, highestTotal);
  const common = { type: 'line', xAxisIndex: 0, yAxisIndex: 0, color: THEME.total } as const;
  const isSingle = soFar.filter((amount) => amount !== null).length === 1;
  const last = goesOn.length - 1;
  return [
    {
      ...common,
      name: 'total',
      data: [...soFar],
      symbol: isSingle ? 'circle' : 'none',
      symbolSize: 12,
      lineStyle: { width: 4 },
      areaStyle: { color: 'rgba(219, 222, 225, 0.14)' },
      markArea: nowArea(places),
      ...(cap ? budgetLine(cap, highestTotal > cap.limit ? 'start' : 'end') : {}),
    },
    {
      ...common,
      name: 'expected',
      data: goesOn.map((amount, index) =>
        index === last && amount !== null ? { value: amount, symbol: 'circle', symbolSize: 10 } : amount,
      ),
      symbol: 'none',
      lineStyle: { width: 3, type: [8, 7] },
    },
    ...(cap ? [reachOf(cap, 0)] : []),
  ];
}

/** Returns the lighter background of the current step. */
function nowArea(places: readonly Place[]): NonNullable<BarSeriesOption['markArea']> {
  const at = String(places.findIndex(({ isCurrent }) => isCurrent));
  const data: NonNullable<NonNullable<BarSeriesOption['markArea']>['data']> =
    at === '-1' || places.length === 1 ? [] : [[{ xAxis: at }, { xAxis: at }]];
  return { silent: true, z: 0, itemStyle: { color: THEME.highlight }, data };
}

/** Returns an invisible point that makes the axis reach the limit. */
function reachOf({ limit }: CapView, panel: number): LineSeriesOption {
  return {
    type: 'line',
    xAxisIndex: panel,
    yAxisIndex: panel,
    data: [limit],
    symbol: 'none',
    lineStyle: { opacity: 0 },
  };
}

/** Returns the line of a budget, with its label at the given end of the line. */
function budgetLine(cap: CapView, side: 'start' | 'end'): Pick<LineSeriesOption, 'markLine'> {
  return {
    markLine: {
      silent: true,
      symbol: 'none',
      lineStyle: { color: THEME.budget, width: 3, type: [12, 6] },
      label: {
        position: side === 'start' ? 'insideStartTop' : 'insideEndTop',
        distance: [8, 6],
        formatter: capText(cap),
        fontFamily: FONT,
        fontSize: 22,
        color: THEME.budget,
        backgroundColor: 'rgba(43, 45, 49, 0.75)',
        padding: [0, 4],
      },
      data: [{ yAxis: cap.limit }],
    },
  };
}

const CAP_NAMES = { day: 'a day', week: 'a week', month: 'a month', total: 'in all' } as const;

function capText({ limit, period }: Pick<CapView, 'limit' | 'period'>): string {
  return `Budget ${formatUsd(limit)} ${CAP_NAMES[period]}`;
}

function legendOf(request: ChartRequest, data: ChartData): LegendComponentOption {
  return {
    left: 32,
    right: RIGHT_PX,
    bottom: 18,
    padding: 0,
    itemGap: 26,
    itemWidth: 24,
    itemHeight: 24,
    icon: 'roundRect',
    data: [...legendNames(request, data)],
    textStyle: { fontFamily: FONT, fontSize: 22, color: THEME.text },
  };
}

function legendNames({ names }: ChartRequest, { stacks, aside, expected }: ChartData): readonly string[] {
  return [
    ...stacks.map(({ capability }) => nameOf(names, capability)),
    ...(aside ? [ASIDE] : []),
    ...(expected ? [FORECAST] : []),
  ];
}

/** Estimates the number of rows that the legend needs, from the widths of the letters in its names. */
function legendRows(names: readonly string[]): number {
  const roomPx = WIDTH_PX - 32 - RIGHT_PX;
  let [rows, usedPx] = [1, 0];
  for (const name of names) {
    const widthPx = 29 + name.length * 11.2;
    if (usedPx + widthPx > roomPx) [rows, usedPx] = [rows + 1, 0];
    usedPx += widthPx + 26;
  }
  return rows;
}
