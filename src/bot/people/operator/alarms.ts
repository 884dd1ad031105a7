import { type Clock, withDeadline } from '../../../base/clock.ts';
import { randomId } from '../../../base/ids.ts';
import type { Logger } from '../../../base/log.ts';
import type { Database } from '../../../../db/database.ts';
import {
  claimOperatorAlert,
  endOperatorAlert,
  findOpenOperatorAlert,
  insertOperatorAlert,
  listOpenOperatorAlerts,
  nextOperatorAlertAtMs,
  purgeOperatorAlerts,
  updateOperatorAlert,
} from '../../../../db/queries/operator-alerts.ts';
import type { OperatorAlertRow } from '../../../../db/schema/alerts.ts';
import { Outbox, SEND_DEADLINE_MS, SEND_LEASE_MS, sendAgainAtMs } from '../../money/alerts/outbox.ts';
import { readFacts, writeFacts } from './facts.ts';
import type { OperatorAlert } from './operator-alert.ts';
import type { OperatorChannel } from './operator-channel.ts';

interface AlarmsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly channel: OperatorChannel;
  /** Where the operator wants to be told; null: in the log only. */
  readonly channelId: string | null;
}

/** What lasts longer is told again. */
const TELL_AGAIN_MS = 86_400_000;
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
 * Tells the operator what needs them, once while it lasts and again each day: in the log, and as one message in the
 * channel that they named, from whichever process.
 */
export class Alarms implements AsyncDisposable {
  readonly #options: AlarmsOptions;
  readonly #outbox: Outbox<OperatorAlertRow>;

  constructor(options: AlarmsOptions) {
    const { db, clock, log } = options;
    this.#options = options;
    this.#outbox = new Outbox({
      clock,
      log,
      claim: (nowMs) => this.#claim(nowMs),
      send: (row, signal) => this.#send(row, signal),
      nextDueAtMs: () => nextOperatorAlertAtMs(db.kysely),
    });
  }

  /** The chat is connected: tells from now on, also what a crash left untold. */
  start(): void {
    this.#outbox.start();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#outbox[Symbol.asyncDispose]();
  }

  /** Tells of it, unless it was told within a day and is not over. */
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

  /** It is over: the next time is told again. */
  async end(kind: OperatorAlert['kind']): Promise<void> {
    const { db, clock, log } = this.#options;
    if (await endOperatorAlert(db.kysely, kind, clock.now())) log.info({ kind }, 'What was told is over');
  }

  /** What is not over, oldest first. */
  async open(): Promise<readonly OperatorAlert[]> {
    const rows = await listOpenOperatorAlerts(this.#options.db.kysely);
    return rows.map(({ facts }) => readFacts(facts));
  }

  #isOld({ made_at_ms: madeAtMs }: OperatorAlertRow): boolean {
    return Math.abs(this.#options.clock.now() - madeAtMs) >= TELL_AGAIN_MS;
  }

  async #claim(nowMs: number): Promise<OperatorAlertRow | 'settled' | undefined> {
    const { db, channelId } = this.#options;
    const claim = { nowMs, leaseUntilMs: nowMs + SEND_LEASE_MS };
    const row = await db.transaction('operator', (trx) => claimOperatorAlert(trx, claim));
    if (!row) return undefined;
    if (channelId !== null && row.over_at_ms === null) return row;
    await updateOperatorAlert(db.kysely, row, { told_at_ms: nowMs });
    return 'settled';
  }

  async #send(row: OperatorAlertRow, stopping: AbortSignal): Promise<void> {
    const { db, clock, log, channel, channelId } = this.#options;
    if (channelId === null) return;
    const note = { id: row.id, madeAtMs: row.made_at_ms, alert: readFacts(row.facts) };
    const isRepeat = row.attempts > 1;
    try {
      const told = await withDeadline(
        clock,
        SEND_DEADLINE_MS,
        (signal) => channel.tellOperator(channelId, note, { isRepeat, signal }),
        stopping,
      );
      if (told.outcome === 'refused') {
        const fields = { kind: row.kind, reason: told.reason };
        log.warn(fields, "An alert is given up: the operator's channel takes none");
      }
      await updateOperatorAlert(db.kysely, row, { told_at_ms: clock.now() });
    } catch (error) {
      const nowMs = clock.now();
      const atMs = stopping.aborted ? nowMs : sendAgainAtMs(row.attempts, nowMs);
      await updateOperatorAlert(db.kysely, row, atMs === null ? { told_at_ms: nowMs } : { due_at_ms: atMs });
      if (!stopping.aborted) {
        log.warn({ kind: row.kind, isGivenUp: atMs === null, error }, 'Cannot tell the operator');
      }
    }
  }
}
