import type { Database } from '../../../../db/database.ts';
import { sumAccounts } from '../../../../db/queries/ledger-entries.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { micros } from '../../../../src/base/money.ts';
import { BudgetRules } from '../../../../src/bot/money/budgets/budget-rules.ts';
import type { Budget } from '../../../../src/bot/money/caps/budget.ts';
import {
  type HoldOutcome,
  type HoldRequest,
  Ledger,
  type Settlement,
} from '../../../../src/bot/money/ledger/ledger.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { DOLLAR_A_DAY, aHold } from './a-hold.ts';

/** A ledger with its own database file. Each call runs in its own transaction. */
export class LedgerBench {
  readonly clock: FakeClock = new FakeClock();
  readonly database: Database;
  readonly ledger: Ledger;
  readonly #rules: BudgetRules;

  constructor(database: Database, defaultBudget: Budget) {
    this.database = database;
    this.ledger = new Ledger({ clock: this.clock, defaultBudget });
    const { timeZone } = defaultBudget;
    this.#rules = new BudgetRules({ db: database, clock: this.clock, timeZone });
  }

  hold(subject: string, amount: number, changes: Partial<HoldRequest> = {}): Promise<HoldOutcome> {
    const request = { ...aHold(subject, micros(amount)), ...changes };
    return this.database.transaction('guild:guild', (trx) => this.ledger.hold(trx, request));
  }

  resize(subject: string, amount: number): Promise<HoldOutcome> {
    const request = { subject, amount: micros(amount), rateCard: '{"resized":true}' };
    return this.database.transaction('guild:guild', (trx) => this.ledger.resize(trx, request));
  }

  post(subject: string, charged: number, asOfMs: number = this.clock.now()): Promise<Settlement> {
    return this.database.transaction('guild:guild', (trx) =>
      this.ledger.post(trx, { subject, charged: micros(charged), asOfMs }),
    );
  }

  void(subject: string): Promise<Settlement> {
    return this.database.transaction('guild:guild', (trx) => this.ledger.void(trx, { subject }));
  }

  review(subject: string): Promise<Settlement> {
    return this.database.transaction('guild:guild', (trx) => this.ledger.review(trx, { subject }));
  }

  async left(guildId = 'guild'): Promise<number> {
    return (await this.ledger.budget(this.database.kysely, guildId)).left;
  }

  /** Sets the guild's time zone as an admin would; null means the operator's time zone. */
  async setZone(timeZone: string | null): Promise<void> {
    const admin = { guildId: 'guild', userId: 'admin', roleIds: [], isAdmin: true };
    await this.#rules.change(admin, { timeZone });
  }

  /** Returns what is left of the guild's budget, and when it resets. */
  async stand(): Promise<[number, number | null]> {
    const { left, resetsAtMs } = await this.ledger.budget(this.database.kysely, 'guild');
    return [left, resetsAtMs];
  }

  /** Returns every guild's stored figures, and the sums of its entries for comparison. */
  async totals(): Promise<GuildTotals[]> {
    const rows = await this.database.kysely
      .selectFrom('spending')
      .select((eb) => [
        'guild_id',
        eb.fn.sum<number>('posted_micros').as('posted'),
        eb.fn.sum<number>('pending_micros').as('pending'),
        eb.fn.sum<number>('overrun_micros').as('overrun'),
      ])
      .groupBy('guild_id')
      .execute();
    return Promise.all(
      rows.map(async ({ guild_id: guildId, ...stored }) => ({
        guildId,
        stored,
        summed: await sumAccounts(this.database.kysely, guildId),
      })),
    );
  }
}

export interface GuildTotals {
  readonly guildId: string;
  readonly stored: { readonly posted: number; readonly pending: number; readonly overrun: number };
  readonly summed: Awaited<ReturnType<typeof sumAccounts>>;
}

export async function useLedger(defaultBudget: Budget = DOLLAR_A_DAY): Promise<LedgerBench> {
  return new LedgerBench(await useDatabase(), defaultBudget);
}
