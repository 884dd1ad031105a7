import type { Database } from '../../db/database.ts';
import type { PseudonymOf } from '../../db/pseudonyms.ts';
import type { Confinement } from '../base/children/confinement.ts';
import { BudgetRules } from '../bot/money/budgets/budget-rules.ts';
import { GuildBudgets } from '../bot/money/budgets/guild-budgets.ts';
import type { Budget, BudgetView } from '../bot/money/caps/budget.ts';
import { ChartPainter } from '../bot/money/charts/chart-painter.ts';
import type { SpendCharts } from '../bot/money/charts/chart-request.ts';
import { Ledger } from '../bot/money/ledger/ledger.ts';
import { Overruns } from '../bot/money/overruns/overruns.ts';
import { LedgerSpendBooks } from '../bot/money/spend/ledger-spend-books.ts';
import { SpendReports } from '../bot/money/spend/spend-reports.ts';
import type { Basics } from './basics.ts';
import { SETTING_DEFAULTS } from '../bot/settings/setting-defaults.ts';

export interface Money {
  readonly ledger: Ledger;
  readonly rules: BudgetRules;
  readonly budgets: GuildBudgets;
  readonly reports: SpendReports;
  readonly overruns: Overruns;
  readonly charts: SpendCharts;
  /** Returns a guild's current budget. */
  readonly budget: (guildId: string) => Promise<BudgetView>;
}

interface MoneyParts {
  readonly db: Database;
  readonly confinement: Confinement;
  readonly pseudonymOf: PseudonymOf;
}

/** Opens the ledger, the budgets and the spending reports. */
export function openMoney(
  { options, owned, clock, log }: Basics,
  { db, confinement, pseudonymOf }: MoneyParts,
): Money {
  const { defaultBudget = usualBudget(), allowance } = options;
  const ledger = new Ledger({ clock, defaultBudget, allowance, pseudonymOf });
  const usual = { ...defaultBudget, allowance: allowance ?? null };
  const rules = new BudgetRules({ db, clock, timeZone: defaultBudget.timeZone });
  const books = new LedgerSpendBooks({ db, ledger, rules });
  return {
    ledger,
    rules,
    budgets: new GuildBudgets({ db, clock, ledger, rules, usual, pseudonymOf }),
    reports: new SpendReports({ db, clock, books }),
    overruns: new Overruns({ db, log, rules, watches: ledger.watches }),
    charts: options.charts ?? owned.use(new ChartPainter({ confinement, clock, log })),
    budget: (guildId) => ledger.budget(db.kysely, guildId),
  };
}

function usualBudget(): Budget {
  const { limit, period, timeZone } = SETTING_DEFAULTS.budget;
  return { limit, period, timeZone };
}
