import type { Database } from '../../db/database.ts';
import { parseUsd } from '../base/money.ts';
import type { CommandServices } from '../discord/command.ts';
import type { Budget } from '../ledger/budget.ts';
import { GuildBudgets } from '../ledger/guild-budgets.ts';
import { Ledger } from '../ledger/ledger.ts';
import type { Allowances } from '../operator/ports.ts';
import type { Parts } from './parts.ts';

const DEFAULT_BUDGET: Budget = { limit: parseUsd(10), period: 'month', timeZone: 'UTC' };

export interface Money {
  readonly ledger: Ledger;
  readonly allowances: Allowances;
  readonly services: Pick<CommandServices, 'budget'>;
}

export interface MoneyParts {
  readonly db: Database;
}

/** Opens the books: what guilds may spend and what they have spent. */
export function openMoney({ options, clock }: Parts, { db }: MoneyParts): Money {
  const defaultBudget = options.defaultBudget ?? DEFAULT_BUDGET;
  const ledger = new Ledger({ clock, defaultBudget });
  const allowances = new GuildBudgets({
    db,
    clock,
    usual: { budget: defaultBudget, allowance: null },
    timeZone: defaultBudget.timeZone,
    view: () => Promise.reject(new TypeError('Allowances are not looked at here')),
  });
  return { ledger, allowances, services: { budget: (guildId) => ledger.budget(db.kysely, guildId) } };
}
