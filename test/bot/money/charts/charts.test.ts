import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { micros } from '../../../../src/base/money.ts';
import { ChartPainter } from '../../../../src/bot/money/charts/chart-painter.ts';
import { svgOf } from '../../../../src/bot/money/charts/svg-of.ts';
import { tickText } from '../../../../src/bot/money/charts/chart-text.ts';
import { THEME, colourOf } from '../../../../src/bot/money/charts/theme.ts';
import { spendChartOf } from '../../../../src/bot/money/charts/spend-chart.ts';
import { SPENT_ON } from '../../../../src/bot/discord/words/replies/spend-words.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { CONFINEMENT } from '../../../helpers/use-media-pool.ts';
import { recordingLogger } from '../../discord/use-bot.ts';
import { CAPABILITIES, type ReportWishes, aCap, aReport } from '../spend/a-report.ts';

const svg = (wishes: ReportWishes): string =>
  svgOf(spendChartOf({ report: aReport(wishes), names: SPENT_ON }));

/** Returns all pieces of text in a drawing, in order. */
const textsOf = (drawing: string): string[] =>
  [...drawing.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);

describe('a chart of spending', () => {
  test('is the same for the same report, no matter how many were drawn before', () => {
    const wishes = { caps: [aCap(5_000_000, 'month')] };
    expect(svg(wishes)).toBe(svg(wishes));
  });

  test('names and colours the capabilities with spending, and nothing else', () => {
    const drawing = svg({ capabilities: ['avatar', 'lip_sync'] });
    expect(textsOf(drawing)).toEqual(expect.arrayContaining(['Avatar', 'Lip Sync', 'Forecast']));
    expect(textsOf(drawing)).not.toContain('Photo Swap');
    expect(drawing).toContain(colourOf('avatar'));
    expect(drawing).not.toContain(colourOf('photo_swap'));
  });

  test('gives each of the eight capabilities its own colour that contrasts with the background', () => {
    expect(new Set(CAPABILITIES.map(colourOf)).size).toBe(CAPABILITIES.length);
    const ground = luminanceOf(THEME.background) + 0.05;
    const contrasts = CAPABILITIES.map((name) => (luminanceOf(colourOf(name)) + 0.05) / ground);
    expect(Math.min(...contrasts)).toBeGreaterThan(3);
  });

  test.each([
    ['of the month, beside its sum', { caps: [aCap(5_000_000, 'month')] }, 'Budget $5.00 a month'],
    ['of the day, beside the bars', { caps: [aCap(100_000, 'day')] }, 'Budget $0.10 a day'],
    ['far above, in words', { caps: [aCap(900_000_000, 'day')] }, 'Budget $900.00 a day'],
    [
      'of the member',
      { userId: '5', caps: [aCap(2_000_000, 'month', { target: { kind: 'member', userId: '5' } })] },
      'Budget $2.00 a month',
    ],
  ] as const)('names the budget %s', (_where, wishes, text) => {
    expect(textsOf(svg(wishes))).toContain(text);
  });

  test.each([
    [
      'of one member if it shows everyone',
      { caps: [aCap(2_000_000, 'month', { target: { kind: 'member', userId: '5' } })] },
    ],
    ['of one capability if it shows all', { caps: [aCap(2_000_000, 'month', { capability: 'avatar' })] }],
    ['of everyone if it shows one member', { userId: '5', caps: [aCap(2_000_000, 'month')] }],
  ] as const)('draws no line for the budget %s', (_why, wishes) => {
    expect(textsOf(svg(wishes)).join()).not.toContain('Budget');
  });

  test('marks today, and shows a forecast only while the period runs', () => {
    expect(textsOf(svg({ period: 'month' }))).toEqual(expect.arrayContaining(['today', 'Forecast']));
    const past = textsOf(svg({ period: 'last_month' }));
    expect(past).not.toContain('today');
    expect(past).not.toContain('Forecast');
  });

  test.each([
    [true, 'Nothing spent yet'],
    [false, 'Nothing spent in this time'],
  ])('says that nothing was spent', (isNew, text) => {
    expect(textsOf(svg({ amount: 0, isNew }))).toContain(text);
  });

  test('shows every name as text only', () => {
    const hostile = '"><script>1</script>';
    const report = aReport({ capabilities: [hostile] });
    const drawing = svgOf(spendChartOf({ report, names: {} }));
    expect(drawing).not.toContain('<script');
    expect(drawing).toContain('&lt;script&gt;');
  });

  test.each([
    [4_000, '$0.004'],
    [500_000, '$0.50'],
    [1_500_000, '$1.50'],
    [2_000_000, '$2'],
    [1_200_000_000, '$1,200'],
    [25_000_000_000, '$25k'],
    [3_000_000_000_000, '$3M'],
  ])('has short labels on its axis: %i is %s', (amount, text) => {
    expect(tickText(amount)).toBe(text);
  });
});

describe('drawing', () => {
  test('makes a picture with text without system fonts, in its own process', async () => {
    await using painter = new ChartPainter({
      confinement: CONFINEMENT,
      clock: systemClock,
      log: silentLogger,
    });
    const report = aReport({ caps: [aCap(micros(5_000_000), 'month')] });
    const png = await painter.draw({ report, names: SPENT_ON });
    const picture = sharp(png ?? Buffer.alloc(0));
    const { width, height, format } = await picture.metadata();
    expect([format, width]).toEqual(['png', 1920]);
    expect(height).toBeGreaterThan(1_000);
    // The heading has white letters on a dark background.
    const heading = { left: 50, top: 50, width: 700, height: 80 };
    const { channels } = await sharp(png ?? Buffer.alloc(0))
      .extract(heading)
      .greyscale()
      .stats();
    expect(channels[0]?.max).toBeGreaterThan(200);
    expect(channels[0]?.mean).toBeGreaterThan(50);
    expect(await coloursOf(png)).toEqual(
      expect.arrayContaining([THEME.background, ...CAPABILITIES.map(colourOf)]),
    );
  });

  test('returns no picture, and logs the error, if a report cannot be drawn', async () => {
    const logged: string[] = [];
    await using painter = new ChartPainter({
      confinement: CONFINEMENT,
      clock: systemClock,
      log: recordingLogger(logged),
    });
    const broken = { ...aReport(), timeZone: 'Nowhere/At_All' };
    expect(await painter.draw({ report: broken, names: SPENT_ON })).toBeNull();
    expect(logged.join()).toContain('Cannot draw a chart');
    expect(await painter.draw({ report: aReport(), names: SPENT_ON })).not.toBeNull();
  });

  test('returns no picture after too long a wait, and continues with the next report', async () => {
    const clock = new FakeClock();
    await using painter = new ChartPainter({ confinement: CONFINEMENT, clock, log: silentLogger });
    const late = Array.from({ length: 5 }, () => painter.draw({ report: aReport(), names: SPENT_ON }));
    await clock.advance(20_000);
    expect(await Promise.all(late)).toEqual(late.map(() => null));
    expect(await painter.draw({ report: aReport(), names: SPENT_ON })).not.toBeNull();
    expect(clock.pendingTimers).toBe(0);
  });

  test('lets only a few requests wait, and none after it is disposed', async () => {
    const painter = new ChartPainter({ confinement: CONFINEMENT, clock: systemClock, log: silentLogger });
    const all = Array.from({ length: 30 }, () => painter.draw({ report: aReport(), names: SPENT_ON }));
    const refused = await Promise.race(all.slice(22));
    expect(refused).toBeNull();
    await painter[Symbol.asyncDispose]();
    expect(await Promise.all(all.slice(2))).toEqual(all.slice(2).map(() => null));
  });
});

/** Returns the luminance as WCAG defines it: 0 is black, 1 is white. */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the colours that cover most of the picture. */
async function coloursOf(png: Uint8Array | null): Promise<readonly string[]> {
  const { data, info } = await sharp(png ?? Buffer.alloc(0))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const seen = new Map<string, number>();
  for (let at = 0; at < data.length; at += info.channels) {
    const colour = `#${data.toString('hex', at, at + 3)}`;
    seen.set(colour, (seen.get(colour) ?? 0) + 1);
  }
  return [...seen].filter(([, count]) => count > 200).map(([colour]) => colour);
}
