import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openDatabase } from '../../db/database.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { Confinement } from '../../src/base/children/confinement.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/log.ts';
import { micros } from '../../src/base/money.ts';
import { ChartPainter } from '../../src/bot/money/charts/chart-painter.ts';
import { pngOf } from '../../src/bot/money/charts/png-of.ts';
import { svgOf } from '../../src/bot/money/charts/svg-of.ts';
import { spendChartOf } from '../../src/bot/money/charts/spend-chart.ts';
import { SPENT_ON } from '../../src/bot/discord/words/replies/spend-words.ts';
import { SpendReports } from '../../src/bot/money/spend/spend-reports.ts';
import type { SpendReport } from '../../src/bot/money/spend/spend-report.ts';
import { benchFolder } from './jobs/bench-folder.ts';
import { quantile } from './quantile.ts';

/** The cost of `/spend show` for a month in which a guild used every capability all the time. */
export interface SpendBench {
  /** The number of rows of running totals in the month. A report adds them up. */
  readonly rows: number;
  readonly reportP50Ms: number;
  readonly reportP95Ms: number;
  /** The longest time for which the event loop was blocked during the reports. */
  readonly reportBlockMs: number;
  /** The time from the finished report to its chart, which a separate process draws. */
  readonly chartP50Ms: number;
  readonly chartP95Ms: number;
  readonly chartBlockMs: number;
  /** The time that sharp takes to convert the same drawing to a picture, in a warm process. */
  readonly baselineP50Ms: number;
}

const GUILD = 'bench';
const TIMES = 20;
const SLOT_MS = 900_000;
const MEMBERS = 3;

export async function benchSpend(): Promise<SpendBench> {
  await using folder = await benchFolder();
  const nowMs = Date.parse('2026-11-28T20:00:00Z');
  const clock = new FakeClock(nowMs);
  await using db = await openDatabase({ url: `sqlite:${folder.path}/spend.db`, clock, logger: silentLogger });
  const rows = await fill(db, nowMs);
  const books = {
    timeZone: () => Promise.resolve('Europe/Berlin'),
    caps: () => Promise.resolve([]),
    countsFromBefore: () => Promise.resolve(false),
    isManager: () => Promise.resolve(true),
  };
  const desk = new SpendReports({ db, clock, books });
  const viewer = { guildId: GUILD, userId: '1', roleIds: [], isAdmin: true };
  const ask = (): Promise<SpendReport> => desk.report(viewer, { period: 'month' });
  const report = await ask();
  const reports = await timesOf(ask);
  await using painter = new ChartPainter({
    confinement: new Confinement({ log: silentLogger }),
    clock: systemClock,
    log: silentLogger,
  });
  const charts = await timesOf(() => painter.draw({ report, names: SPENT_ON }));
  const svg = svgOf(spendChartOf({ report, names: SPENT_ON }));
  const baseline = await timesOf(() => pngOf(svg));
  return {
    rows,
    reportP50Ms: quantile(reports.ms, 0.5),
    reportP95Ms: quantile(reports.ms, 0.95),
    reportBlockMs: reports.blockMs,
    chartP50Ms: quantile(charts.ms, 0.5),
    chartP95Ms: quantile(charts.ms, 0.95),
    chartBlockMs: charts.blockMs,
    baselineP50Ms: quantile(baseline.ms, 0.5),
  };
}

async function fill(db: Awaited<ReturnType<typeof openDatabase>>, nowMs: number): Promise<number> {
  let count = 0;
  for (let slotMs = Date.parse('2026-11-01T00:00:00Z'); slotMs < nowMs; slotMs += SLOT_MS) {
    const rows = Object.keys(SPENT_ON).flatMap((capability, index) =>
      Array.from({ length: MEMBERS }, (_, member) => ({
        guild_id: GUILD,
        slot_ms: slotMs,
        user_id: String(member),
        capability,
        posted_micros: micros(1_000 * (index + 1)),
      })),
    );
    await db.transaction(`guild:${GUILD}`, async (trx) => {
      await trx.insertInto('spending').values(rows).execute();
    });
    count += rows.length;
  }
  return count;
}

async function timesOf(work: () => Promise<unknown>): Promise<{ ms: number[]; blockMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const ms: number[] = [];
  delay.enable();
  for (let time = 0; time < TIMES; time += 1) {
    const startedAt = performance.now();
    await work();
    ms.push(performance.now() - startedAt);
  }
  delay.disable();
  return { ms, blockMs: delay.max / 1e6 };
}
