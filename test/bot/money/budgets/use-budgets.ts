import type { Database } from '../../../../db/database.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { type MicroUsd, micros } from '../../../../src/base/money.ts';
import { BudgetRules } from '../../../../src/bot/money/budgets/budget-rules.ts';
import { GuildBudgets } from '../../../../src/bot/money/budgets/guild-budgets.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import type { Amount } from '../../../../src/bot/money/caps/usual-caps.ts';
import { useDatabase } from '../../../db/use-database.ts';
import type { AdminCapKey } from '../../../../src/bot/money/budgets/admin-cap-key.ts';

export interface BudgetBench {
  readonly db: Database;
  readonly clock: FakeClock;
  readonly ledger: Ledger;
  readonly budgets: GuildBudgets;
}

const TEN_A_MONTH = { limit: micros(10_000_000), period: 'month', timeZone: 'UTC' } as const;

/** Creates guild budgets in a new database in which nothing was spent yet. */
export async function useBudgets(allowance: Amount | null = null): Promise<BudgetBench> {
  const db = await useDatabase();
  const clock = new FakeClock();
  const ledger = new Ledger({ clock, defaultBudget: TEN_A_MONTH, allowance: allowance ?? undefined });
  const rules = new BudgetRules({ db, clock, timeZone: TEN_A_MONTH.timeZone });
  const usual = { ...TEN_A_MONTH, allowance };
  const budgets = new GuildBudgets({ db, clock, ledger, rules, usual });
  return { db, clock, ledger, budgets };
}

type CapToSet = AdminCapKey & { readonly limit: MicroUsd };

/** Creates a daily cap on everything, unless the options say otherwise. */
export function aCap(limitMicros: number, changes: Partial<AdminCapKey> = {}): CapToSet {
  return {
    target: { kind: 'guild' },
    capability: null,
    period: 'day',
    limit: limitMicros as MicroUsd,
    ...changes,
  };
}
