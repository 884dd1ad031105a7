import { type Clock, withDeadline } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { subtractMicros } from '../../../base/money.ts';
import type { Database } from '../../../../db/database.ts';
import {
  claimAlert,
  dropAlert,
  findDueAlert,
  forgetAlerts,
  hasHigherAlert,
  nextAlertAtMs,
  updateAlert,
} from '../../../../db/queries/budget-alerts.ts';
import { findBudgetSettings } from '../../../../db/queries/budget-settings.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { BudgetAlertRow } from '../../../../db/schema/alerts.ts';
import { targetOf } from '../caps/cap-rows.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { Outbox, SEND_DEADLINE_MS, SEND_LEASE_MS, sendAgainAtMs } from './outbox.ts';
import type { BudgetAlert, BudgetAlertChannel } from './budget-alert.ts';

export interface BudgetAlertsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly channel: BudgetAlertChannel;
  readonly ledger: Pick<Ledger, 'alertNow'>;
}

interface Claimed {
  readonly row: BudgetAlertRow;
  readonly channelId: string;
}

/** After its window an alert is news only if it was made just before its end. */
const LATE_MS_MAX = 3_600_000;
/** Longer than a charge may come late: what reaches a part of a window again then is not told twice. */
const KEEP_MS = 90 * 86_400_000;

/**
 * Delivers the alerts that the ledger writes to the channels that communities chose: each as one message, through
 * crashes and from several processes, and only the highest of those that a cap reached.
 */
export class BudgetAlerts implements AsyncDisposable {
  readonly #options: BudgetAlertsOptions;
  readonly #outbox: Outbox<Claimed>;

  constructor(options: BudgetAlertsOptions) {
    const { db, clock, log } = options;
    this.#options = options;
    this.#outbox = new Outbox({
      clock,
      log,
      claim: (nowMs) => this.#claim(nowMs),
      send: (claimed, signal) => this.#send(claimed, signal),
      nextDueAtMs: () => nextAlertAtMs(db.kysely),
    });
  }

  /** The chat is connected: tells from now on, also what a crash left untold. */
  start(): void {
    this.#outbox.start();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#outbox[Symbol.asyncDispose]();
  }

  async #claim(nowMs: number): Promise<Claimed | 'settled' | undefined> {
    const { db } = this.#options;
    const due = await findDueAlert(db.kysely, nowMs);
    if (!due) return undefined;
    return db.transaction(`guild:${due.guild_id}`, async (trx) => {
      const leaseUntilMs = nowMs + SEND_LEASE_MS;
      const row = await claimAlert(trx, due.id, { nowMs, leaseUntilMs });
      if (!row) return 'settled';
      await forgetAlerts(trx, row.guild_id, nowMs - KEEP_MS);
      return this.#look(trx, row, nowMs);
    });
  }

  /** What is to be sent by the budgets that count now, or what settles the alert without a message. */
  async #look(trx: Trx, row: BudgetAlertRow, nowMs: number): Promise<Claimed | 'settled'> {
    const now = await this.#options.ledger.alertNow(trx, row);
    const holds = now !== undefined && now.reached >= row.percent;
    // An earlier try may have posted it.
    if (!holds && row.attempts === 1) {
      await dropAlert(trx, row.id);
      return 'settled';
    }
    if (!holds || isOutdated(row, nowMs) || (await hasHigherAlert(trx, row, now.reached))) {
      await updateAlert(trx, row, { told_at_ms: nowMs });
      return 'settled';
    }
    const channelId = (await findBudgetSettings(trx, row.guild_id))?.alerts_channel_id ?? null;
    if (channelId !== null) return { row: now.row, channelId };
    // Whoever chooses a channel while the window lasts hears how it stands; see `releaseAlerts`.
    await updateAlert(trx, row, { due_at_ms: Math.max(row.ends_at_ms, nowMs + LATE_MS_MAX), attempts: 0 });
    return 'settled';
  }

  async #send({ row, channelId }: Claimed, stopping: AbortSignal): Promise<void> {
    const { db, clock, log, channel } = this.#options;
    const fields = { alertId: row.id, guildId: row.guild_id };
    const isRepeat = row.attempts > 1;
    try {
      const told = await withDeadline(
        clock,
        SEND_DEADLINE_MS,
        (signal) => channel.tellBudget(channelId, toAlert(row), { isRepeat, signal }),
        stopping,
      );
      if (told.outcome === 'refused') {
        log.warn({ ...fields, reason: told.reason }, 'A budget alert is given up: its channel takes none');
      }
      await updateAlert(db.kysely, row, { told_at_ms: clock.now() });
    } catch (error) {
      await this.#later(row, stopping.aborted ? clock.now() : sendAgainAtMs(row.attempts, clock.now()));
      if (!stopping.aborted) log.warn({ ...fields, error }, 'Cannot tell of a budget');
    }
  }

  async #later(row: BudgetAlertRow, atMs: number | null): Promise<void> {
    const { db, clock, log } = this.#options;
    if (atMs !== null) return updateAlert(db.kysely, row, { due_at_ms: atMs });
    log.warn({ alertId: row.id, guildId: row.guild_id }, 'A budget alert is given up: too many tries failed');
    return updateAlert(db.kysely, row, { told_at_ms: clock.now() });
  }
}

function toAlert(row: BudgetAlertRow): BudgetAlert {
  return {
    id: row.id,
    guildId: row.guild_id,
    target: targetOf(row.target_kind, row.target_id),
    capability: row.capability === '' ? null : row.capability,
    period: row.period,
    userId: row.user_id === '' ? null : row.user_id,
    percent: row.percent,
    limit: row.limit_micros,
    posted: subtractMicros(row.used_micros, row.pending_micros),
    pending: row.pending_micros,
    madeAtMs: row.made_at_ms,
    resetsAtMs: row.period === 'total' ? null : row.ends_at_ms,
  };
}

function isOutdated(row: BudgetAlertRow, nowMs: number): boolean {
  if (nowMs < row.ends_at_ms) return false;
  return row.made_at_ms >= row.ends_at_ms || nowMs - row.made_at_ms > LATE_MS_MAX;
}
