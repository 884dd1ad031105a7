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

/** How long an alert waits while the guild has chosen no channel. If it chooses one earlier, the alert is due then. */
const NO_CHANNEL_MS = 86_400_000;

/**
 * Alerts the channel that a guild chose when a member's new jobs start to wait for a review. Each such wait causes one
 * alert, and a charge that was reviewed before the alert was sent causes none.
 */
export class OverrunAlerts implements AsyncDisposable {
  readonly #options: OverrunAlertsOptions;
  readonly #outbox: Outbox<OverrunWatch>;

  constructor(options: OverrunAlertsOptions) {
    const { db, clock, log } = options;
    this.#options = options;
    this.#outbox = new Outbox({
      db,
      clock,
      log,
      queue: overrunAlertQueue,
      scopeOf: (watch) => `guild:${watch.guild_id}`,
      decide: (trx, { row }, nowMs) => this.#decide(trx, row, nowMs),
      fieldsOf: (watch) => ({ kind: 'overrun', guildId: watch.guild_id, subject: watch.subject }),
    });
  }

  /** Starts to send, because the chat is connected. */
  start(): void {
    this.#outbox.start();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#outbox[Symbol.asyncDispose]();
  }

  async #decide(trx: Trx, watch: OverrunWatch, nowMs: number): Promise<Decision> {
    const { channel } = this.#options;
    const channelId = (await findBudgetSettings(trx, watch.guild_id))?.alerts_channel_id ?? null;
    if (channelId === null) return { step: 'wait', untilMs: nowMs + NO_CHANNEL_MS };
    return { step: 'send', send: (options) => channel.tellOverrun(channelId, toAlert(watch), options) };
  }
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
