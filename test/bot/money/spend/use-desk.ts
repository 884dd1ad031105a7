import { putBudgetSettings } from '../../../../db/queries/budget-settings.ts';
import { micros } from '../../../../src/base/money.ts';
import { BudgetRules } from '../../../../src/bot/money/budgets/budget-rules.ts';
import { LedgerSpendBooks } from '../../../../src/bot/money/spend/ledger-spend-books.ts';
import { SpendReports } from '../../../../src/bot/money/spend/spend-reports.ts';
import type { SpendReport } from '../../../../src/bot/money/spend/spend-report.ts';
import { type LedgerBench, useLedger } from '../ledger/use-ledger.ts';
import type { SpendQuery, SpendViewer } from '../../../../src/bot/money/spend/spend-query.ts';

export const ADMIN: SpendViewer = { guildId: 'guild', userId: '1', roleIds: [], isAdmin: true };
const PLENTY = { limit: micros(1_000_000_000), period: 'day', timeZone: 'UTC' } as const;

export interface DeskBench {
  readonly bench: LedgerBench;
  readonly desk: SpendReports;
  readonly report: (query: SpendQuery, viewer?: SpendViewer) => Promise<SpendReport>;
  /** Spends an amount at a given time. Every second job keeps running afterwards. */
  readonly spend: (atMs: number, amount: number, who?: string, on?: string) => Promise<void>;
}

/** Creates a guild's spending reports in the time zone `timeZone`, and the ledger behind them. */
export async function useDesk(timeZone: string): Promise<DeskBench> {
  const bench = await useLedger(PLENTY);
  const { database: db, clock, ledger } = bench;
  const rules = new BudgetRules({ db, clock, timeZone: 'UTC' });
  const books = new LedgerSpendBooks({ db, ledger, rules });
  const desk = new SpendReports({ db, clock, books });
  await db.transaction('guild:guild', (trx) => putBudgetSettings(trx, 'guild', { time_zone: timeZone }));
  let count = 0;
  return {
    bench,
    desk,
    report: (query, viewer = ADMIN) => desk.report(viewer, query),
    spend: async (atMs, amount, who = '1', on = 'photo_swap') => {
      await clock.advance(atMs - clock.now());
      const subject = `job_${(count += 1)}`;
      await bench.hold(subject, amount, { userId: who, capability: on });
      if (count % 2 === 0) await bench.post(subject, amount + (count % 4));
    },
  };
}
