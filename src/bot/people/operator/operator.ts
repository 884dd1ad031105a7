import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { Database } from '../../../../db/database.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import type { SpendingGate } from '../../money/ledger/spending-gate.ts';
import type { Account } from '../../../media-api/account.ts';
import type { KeyState } from '../../../media-api/key-circuit.ts';
import { AccountWatch } from './account-watch.ts';
import { Alarms } from './alarms.ts';
import { OperatorDesk } from './operator-desk.ts';
import { OperatorGate } from './operator-gate.ts';
import { OverrunWatch } from './overrun-watch.ts';
import type { GuildBudgets } from '../../money/budgets/guild-budgets.ts';
import type { GuildNames } from './guild-names.ts';
import type { OperatorAlert } from './operator-alert.ts';
import type { OperatorChannel } from './operator-channel.ts';
import type { Operators } from './operators.ts';

interface OperatorOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ledger: Pick<Ledger, 'post' | 'void' | 'views' | 'watches'>;
  readonly account: Pick<Account, 'balance'>;
  readonly operators: Operators;
  readonly names: GuildNames;
  readonly allowances: Pick<GuildBudgets, 'allow'>;
  readonly channel: OperatorChannel;
  /** The channel for alerts; null if they are only logged. */
  readonly channelId: string | null;
  /** The operator is alerted if the balance is lower than this. */
  readonly lowBalance: MicroUsd;
}

type FoundByComparison = Extract<OperatorAlert, { kind: 'other_use' | 'charged_failure' }>;

/** The operator's alerts, the data that the operator can see, and the operator's decisions, for all guilds. */
export class Operator implements AsyncDisposable {
  readonly desk: OperatorDesk;
  readonly gate: SpendingGate;
  readonly #options: OperatorOptions;
  readonly #alarms: Alarms;
  readonly #watch: AccountWatch;
  readonly #overruns: OverrunWatch;
  readonly #gate: OperatorGate;
  #alerting: Promise<void> = Promise.resolve();

  constructor(options: OperatorOptions) {
    const { db, clock, log, account, lowBalance, channel, channelId } = options;
    this.#options = options;
    this.#alarms = new Alarms({ db, clock, log, channel, channelId });
    this.#watch = new AccountWatch({ db, clock, log, account, lowBalance, alarms: this.#alarms });
    this.#overruns = new OverrunWatch({ db, clock, log, alarms: this.#alarms });
    this.#gate = new OperatorGate({ db, clock, log, alarms: this.#alarms, watch: this.#watch });
    this.gate = this.#gate;
    this.desk = new OperatorDesk({ ...options, alarms: this.#alarms });
  }

  /** Starts to watch the account and to send alerts. Must be called when Discord is connected. */
  start(): void {
    this.#alarms.start();
    this.#watch.start();
    this.#overruns.start();
  }

  /** Records that the service has refused the API key, or accepted it again. */
  recordKeyState(state: KeyState): void {
    const update = (): Promise<void> =>
      state === 'refused' ? this.#alarms.raise({ kind: 'key_refused' }) : this.#alarms.end('key_refused');
    this.#alerting = this.#alerting
      .then(update)
      .catch((error: unknown) =>
        this.#options.log.error({ error, state }, 'Cannot record whether the service accepts the API key'),
      );
  }

  /** Raises an alert about a finding from comparing the books with the service. */
  raiseComparisonAlert(alert: FoundByComparison): Promise<void> {
    return this.#alarms.raise(alert);
  }

  /** Ends the alerts that `raiseComparisonAlert` raises, because recent comparisons found nothing more. */
  async endComparisonAlerts(): Promise<void> {
    await this.#alarms.end('other_use');
    await this.#alarms.end('charged_failure');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#overruns[Symbol.asyncDispose]();
    await this.#watch[Symbol.asyncDispose]();
    await this.#gate[Symbol.asyncDispose]();
    await this.#alerting;
    await this.#alarms[Symbol.asyncDispose]();
  }
}
