import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { Database } from '../../../../db/database.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { Paused, SpendingGate } from '../../money/ledger/spending-gate.ts';
import type { AccountWatch } from './account-watch.ts';
import type { Alarms } from './alarms.ts';
import { pausedBy } from './pauses.ts';
import { type ServiceBalance, findServiceBalance } from './service-balance.ts';

interface OperatorGateOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly alarms: Alarms;
  readonly watch: AccountWatch;
}

/** A balance older than this is not used: three readings have failed since, and the account may have been topped up. */
const FRESH_MS = 15 * 60_000;

/** Refuses work that the operator has paused, or that the service account's balance does not cover. */
export class OperatorGate implements SpendingGate, AsyncDisposable {
  readonly #options: OperatorGateOptions;
  #alerting: Promise<void> = Promise.resolve();

  constructor(options: OperatorGateOptions) {
    this.#options = options;
  }

  pausedBy(trx: Trx, guildId: string): Promise<Paused | null> {
    return pausedBy(trx, guildId);
  }

  async isShort(trx: Trx, amount: MicroUsd): Promise<boolean> {
    const known = await findServiceBalance(trx);
    return known !== null && this.#isFresh(known) && amount > known.balance;
  }

  wasShort(amount: MicroUsd, by: 'balance' | 'service'): void {
    this.#options.watch.renew();
    this.#alerting = Promise.all([this.#alerting, this.#alert(amount, by)]).then(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#alerting;
  }

  async #alert(needed: MicroUsd, by: 'balance' | 'service'): Promise<void> {
    const { db, alarms, log } = this.#options;
    try {
      const known = await findServiceBalance(db.kysely);
      const balance = known && this.#isFresh(known) ? known.balance : null;
      await alarms.raise({ kind: 'account_empty', needed, balance, by });
    } catch (error) {
      log.error({ error }, "Cannot record that the service's account is empty");
    }
  }

  #isFresh({ asOfMs }: ServiceBalance): boolean {
    return Math.abs(this.#options.clock.now() - asOfMs) <= FRESH_MS;
  }
}
