import type { Database } from '../../../../db/database.ts';
import type { BudgetRules } from '../budgets/budget-rules.ts';
import type { CapView } from '../caps/cap.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SpendBooks, SpendMember } from './spend-reports.ts';
import type { SpendViewer } from './spend-query.ts';

/** Provides spending reports with the guild's budgets from the ledger. */
export class LedgerSpendBooks implements SpendBooks {
  readonly #db: Database;
  readonly #ledger: Ledger;
  readonly #rules: BudgetRules;

  constructor(options: { readonly db: Database; readonly ledger: Ledger; readonly rules: BudgetRules }) {
    this.#db = options.db;
    this.#ledger = options.ledger;
    this.#rules = options.rules;
  }

  async timeZone(guildId: string): Promise<string> {
    return (await this.#rules.settings(this.#db.kysely, guildId)).timeZone;
  }

  async caps(guildId: string, member: SpendMember | null): Promise<readonly CapView[]> {
    if (member === null) return this.#ledger.views(this.#db.kysely, guildId);
    const { userId, roleIds } = member;
    return this.#ledger.views(this.#db.kysely, guildId, { userId, roleIds: roleIds ?? [] });
  }

  async countsFromBefore(guildId: string, member: SpendMember | null): Promise<boolean> {
    if (member === null) return false;
    const { userId, roleIds } = member;
    return this.#ledger.countsFromBefore(this.#db.kysely, guildId, { userId, roleIds: roleIds ?? [] });
  }

  isManager(viewer: SpendViewer): Promise<boolean> {
    return this.#rules.isManager(this.#db.kysely, viewer);
  }
}
