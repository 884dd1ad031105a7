import type { Database } from '../../db/database.ts';
import { sumAccounts } from '../../db/queries/ledger-entries.ts';
import type { BudgetPeriodRow } from '../../db/schema.ts';
import { FakeClock } from '../../src/base/fake-clock.ts';
import { micros } from '../../src/base/money.ts';
import type { Budget } from '../../src/ledger/budget.ts';
import { type HoldOutcome, type HoldRequest, Ledger, type Settlement } from '../../src/ledger/ledger.ts';
import { useDatabase } from '../db/use-database.ts';
import { DOLLAR_A_DAY, aHold } from './a-hold.ts';

/** A ledger on a database file of its own, each call in a transaction of its own. */
export class LedgerBench {
  readonly clock: FakeClock = new FakeClock();
  readonly database: Database;
  readonly ledger: Ledger;

  constructor(database: Database, defaultBudget: Budget) {
    this.database = database;
    this.ledger = new Ledger({ clock: this.clock, defaultBudget });
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

  /** Every window's stored totals next to those that its entries sum up to. */
  async totals(): Promise<{ stored: BudgetPeriodRow; summed: Record<string, number> }[]> {
    const rows = await this.database.kysely.selectFrom('budget_periods').selectAll().execute();
    return Promise.all(
      rows.map(async (stored) => {
        const key = { guildId: stored.guild_id, startsAtMs: stored.starts_at_ms };
        return { stored, summed: await sumAccounts(this.database.kysely, key) };
      }),
    );
  }
}

export async function useLedger(defaultBudget: Budget = DOLLAR_A_DAY): Promise<LedgerBench> {
  return new LedgerBench(await useDatabase(), defaultBudget);
}
