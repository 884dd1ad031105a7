import type { Database } from '../../../../db/database.ts';
import {
  budgetAlertQueue,
  dropAlert,
  deleteClosedAlerts,
  hasHigherAlert,
} from '../../../../db/queries/budget-alerts.ts';
import { findBudgetSettings } from '../../../../db/queries/budget-settings.ts';
import type { ClaimedAlert } from '../../../../db/queries/alert-queue.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { BudgetAlertRow } from '../../../../db/schema/alerts.ts';
import { targetOf } from '../caps/cap-of.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { subtractMicros } from '../../../base/money.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { Outbox, type Decision } from './outbox.ts';
import type { BudgetAlert, BudgetAlertChannel } from './budget-alert.ts';

interface BudgetAlertsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly channel: BudgetAlertChannel;
  readonly ledger: Pick<Ledger, 'alertNow'>;
}

/** After the end of its window, an alert is sent only if it was created before that end and is not older than this. */
const LATE_MS_MAX = 3_600_000;
/**
 * How long closed alerts are kept, so that no second alert is sent for the same percentage. No charge arrives after
 * this time.
 */
const KEEP_MS = 90 * 86_400_000;

/**
 * Returns the outbox that sends the ledger's alerts to the channels that guilds have chosen. If a cap's use has reached
 * several percentages of its limit, only the alert for the highest percentage is sent. The caller must dispose the
 * outbox.
 */
export function budgetAlerts(options: BudgetAlertsOptions): Outbox<BudgetAlertRow> {
  const { db, clock, log } = options;
  return new Outbox({
    db,
    clock,
    log,
    queue: budgetAlertQueue,
    scopeOf: (row) => `guild:${row.guild_id}`,
    decide: (trx, claimed, nowMs) => decide(trx, { ...claimed, nowMs }, options),
    fieldsOf: (row) => ({ kind: 'budget', alertId: row.id, guildId: row.guild_id }),
  });
}

/** Decides what to do with an alert, according to the budgets that apply now. */
async function decide(
  trx: Trx,
  { row, attempts, nowMs }: ClaimedAlert<BudgetAlertRow> & { readonly nowMs: number },
  { ledger, channel }: BudgetAlertsOptions,
): Promise<Decision> {
  await deleteClosedAlerts(trx, row.guild_id, nowMs - KEEP_MS);
  const now = await ledger.alertNow(trx, row);
  const holds = now !== undefined && now.reached >= row.percent;
  // An alert that has been tried before is not deleted, because an earlier attempt may have sent it.
  if (!holds && attempts === 1) {
    await dropAlert(trx, row.id);
    return { step: 'dropped' };
  }
  if (!holds || isOutdated(row, nowMs) || (await hasHigherAlert(trx, row, now.reached))) {
    return { step: 'close' };
  }
  const channelId = (await findBudgetSettings(trx, row.guild_id))?.alerts_channel_id ?? null;
  // If the guild chooses a channel during the window, `releaseAlerts` makes the alert due at that time.
  if (channelId === null) return { step: 'wait', untilMs: Math.max(row.ends_at_ms, nowMs + LATE_MS_MAX) };
  return { step: 'send', send: (attempt) => channel.sendBudgetAlert(channelId, toAlert(now.row), attempt) };
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
