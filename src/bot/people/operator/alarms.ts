import type { Database } from '../../../../db/database.ts';
import {
  endOperatorAlert,
  findOpenOperatorAlert,
  insertOperatorAlert,
  listOpenOperatorAlerts,
  operatorAlertQueue,
  purgeOperatorAlerts,
} from '../../../../db/queries/operator-alerts.ts';
import type { OperatorAlertRow } from '../../../../db/schema/alerts.ts';
import type { Clock } from '../../../base/clock.ts';
import { randomId } from '../../../base/ids.ts';
import type { Logger } from '../../../base/log.ts';
import { type Decision, Outbox } from '../../money/alerts/outbox.ts';
import { readFacts, writeFacts } from './alert-facts.ts';
import type { OperatorAlert } from './operator-alert.ts';
import type { OperatorChannel } from './operator-channel.ts';

interface AlarmsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly channel: OperatorChannel;
  /** The channel that the operator chose for alerts; null if alerts are only logged. */
  readonly channelId: string | null;
}

/** While a problem lasts, its alert is sent again after this time. */
const REPEAT_MS = 86_400_000;
const KEEP_MS = 30 * 86_400_000;

const MESSAGES: Readonly<Record<OperatorAlert['kind'], string>> = {
  low_balance: "The balance of the service's account is low: top it up",
  account_empty: "Work is refused because the service's account does not cover it: top it up",
  key_refused: 'The service refuses the API key: jobs wait for another one',
  other_use: "The service's account is used beside the jobs of this bot",
  overrun: 'A charge was far above its hold: new jobs of its member wait until it is reviewed',
  charged_failure: 'The service charged for a failed job',
};

/**
 * Alerts the operator to problems that need a decision or an action: in the log, and as a message that one of the
 * processes sends to the operator's channel. While a problem lasts, the alert is repeated once a day.
 */
export class Alarms implements AsyncDisposable {
  readonly #options: AlarmsOptions;
  readonly #outbox: Outbox<OperatorAlertRow>;

  constructor(options: AlarmsOptions) {
    const { db, clock, log } = options;
    this.#options = options;
    this.#outbox = new Outbox({
      db,
      clock,
      log,
      queue: operatorAlertQueue,
      scopeOf: () => 'operator',
      decide: async (_trx, { row }) => this.#decide(row),
      fieldsOf: ({ kind }) => ({ kind }),
    });
  }

  /** Starts to send alerts. Must be called when Discord is connected. */
  start(): void {
    this.#outbox.start();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#outbox[Symbol.asyncDispose]();
  }

  /** Sends an alert, unless an alert of the same kind was sent less than a day ago and has not ended. */
  async raise(alert: OperatorAlert): Promise<void> {
    const { db, log } = this.#options;
    const open = await findOpenOperatorAlert(db.kysely, alert.kind);
    if (open && !this.#isOld(open)) return;
    const isNew = await db.transaction('operator', async (trx) => {
      const nowMs = this.#options.clock.now();
      const earlier = await findOpenOperatorAlert(trx, alert.kind);
      if (earlier && !this.#isOld(earlier)) return false;
      await endOperatorAlert(trx, alert.kind, nowMs);
      await purgeOperatorAlerts(trx, nowMs - KEEP_MS);
      await insertOperatorAlert(trx, {
        id: randomId('alert'),
        kind: alert.kind,
        facts: writeFacts(alert),
        made_at_ms: nowMs,
        due_at_ms: nowMs,
        told_at_ms: this.#options.channelId === null ? nowMs : null,
      });
      return true;
    });
    if (!isNew) return;
    if (alert.kind === 'low_balance') log.warn(alert, MESSAGES.low_balance);
    else log.error(alert, MESSAGES[alert.kind]);
    this.#outbox.nudge();
  }

  /** Ends the alert of this kind, so that the next alert of this kind is sent. */
  async end(kind: OperatorAlert['kind']): Promise<void> {
    const { db, clock, log } = this.#options;
    if (await endOperatorAlert(db.kysely, kind, clock.now())) log.info({ kind }, 'An alert ended');
  }

  /** Returns the alerts that have not ended, oldest first. */
  async open(): Promise<readonly OperatorAlert[]> {
    const rows = await listOpenOperatorAlerts(this.#options.db.kysely);
    return rows.map(({ facts }) => readFacts(facts));
  }

  #isOld({ made_at_ms: madeAtMs }: OperatorAlertRow): boolean {
    return Math.abs(this.#options.clock.now() - madeAtMs) >= REPEAT_MS;
  }

  #decide({ id, facts, made_at_ms: madeAtMs, over_at_ms: overAtMs }: OperatorAlertRow): Decision {
    const { channel, channelId } = this.#options;
    if (channelId === null || overAtMs !== null) return { step: 'close' };
    const note = { id, madeAtMs, alert: readFacts(facts) };
    return { step: 'send', send: (options) => channel.sendOperatorAlert(channelId, note, options) };
  }
}
