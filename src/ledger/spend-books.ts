import type { Database } from '../../db/database.ts';
import { findBudgetSettings, listBudgetManagers } from '../../db/queries/budget-settings.ts';
import type { CapView } from './cap.ts';
import type { Ledger } from './ledger.ts';
import type { SpendBooks, SpendMember } from './spend-desk.ts';

const MANAGERS_MAX = 20;

/** What reports of spending need to know about budgets, from the books themselves. */
export class LedgerSpendBooks implements SpendBooks {
  readonly #db: Database;
  readonly #ledger: Ledger;
  readonly #usualTimeZone: string;

  constructor(options: { readonly db: Database; readonly ledger: Ledger; readonly usualTimeZone: string }) {
    this.#db = options.db;
    this.#ledger = options.ledger;
    this.#usualTimeZone = options.usualTimeZone;
  }

  async timeZone(guildId: string): Promise<string> {
    const settings = await findBudgetSettings(this.#db.kysely, guildId);
    return settings?.time_zone ?? this.#usualTimeZone;
  }

  async caps(guildId: string, member: SpendMember | null): Promise<readonly CapView[]> {
    if (member === null) return this.#ledger.views(this.#db.kysely, guildId);
    const { userId, roleIds } = member;
    return this.#ledger.views(this.#db.kysely, guildId, { userId, roleIds: roleIds ?? [] });
  }

  async isManager(guildId: string, roleIds: readonly string[]): Promise<boolean> {
    const managers = await listBudgetManagers(this.#db.kysely, guildId, MANAGERS_MAX);
    return managers.some((roleId) => roleIds.includes(roleId));
  }
}
