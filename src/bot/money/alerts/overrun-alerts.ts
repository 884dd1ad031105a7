import type { Database } from '../../../../db/database.ts';
import { findBudgetSettings } from '../../../../db/queries/budget-settings.ts';
import { overrunAlertQueue } from '../../../../db/queries/overrun-alerts.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { OverrunWatch } from '../../../../db/schema/overruns.ts';
import { Outbox, type Decision } from './outbox.ts';
import type { OverrunAlert, OverrunAlertChannel } from './overrun-alert.ts';
import type { Clock } from '../../../base/clock.ts';
import { derivedId } from '../../../base/ids.ts';
import type { Logger } from '../../../base/log.ts';

interface OverrunAlertsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly channel: OverrunAlertChannel;
}

/**
 * How long an alert is postponed while the guild has no alerts channel. Choosing a channel makes the alert due at once.
 */
const NO_CHANNEL_MS = 86_400_000;

/**
 * Returns the outbox that sends an alert to the guild's chosen channel when a member's new jobs start to wait for a
 * review. Each wait causes one alert, or none if the charge is reviewed before the alert is sent. The caller disposes
 * of the outbox.
 */
export function overrunAlerts(options: OverrunAlertsOptions): Outbox<OverrunWatch> {
  const { db, clock, log, channel } = options;
  return new Outbox({
    db,
    clock,
    log,
    queue: overrunAlertQueue,
    scopeOf: (watch) => `guild:${watch.guild_id}`,
    decide: (trx, { row }, nowMs) => decide(trx, { watch: row, nowMs }, channel),
    fieldsOf: (watch) => ({ kind: 'overrun', guildId: watch.guild_id, subject: watch.subject }),
  });
}

async function decide(
  trx: Trx,
  { watch, nowMs }: { readonly watch: OverrunWatch; readonly nowMs: number },
  channel: OverrunAlertChannel,
): Promise<Decision> {
  const channelId = (await findBudgetSettings(trx, watch.guild_id))?.alerts_channel_id ?? null;
  if (channelId === null) return { step: 'wait', untilMs: nowMs + NO_CHANNEL_MS };
  return { step: 'send', send: (attempt) => channel.sendOverrunAlert(channelId, toAlert(watch), attempt) };
}

function toAlert(watch: OverrunWatch): OverrunAlert {
  return {
    id: derivedId('alert', 'overrun', watch.subject),
    guildId: watch.guild_id,
    userId: watch.user_id,
    capability: watch.capability,
    held: watch.held_micros,
    charged: watch.charged_micros,
    madeAtMs: watch.made_at_ms,
  };
}
