import { type Clock, withDeadline } from '../../../base/clock.ts';
import { derivedId } from '../../../base/ids.ts';
import type { Logger } from '../../../base/log.ts';
import type { Database } from '../../../../db/database.ts';
import { findBudgetSettings } from '../../../../db/queries/budget-settings.ts';
import {
  claimOverrunAlert,
  findDueOverrunAlert,
  nextOverrunAlertAtMs,
  updateOverrunAlert,
} from '../../../../db/queries/overrun-alerts.ts';
import type { OverrunWatch } from '../../../../db/schema/overruns.ts';
import { Outbox, SEND_DEADLINE_MS, SEND_LEASE_MS, sendAgainAtMs } from './outbox.ts';
import type { OverrunAlert, OverrunAlertChannel } from './overrun-alert.ts';

interface OverrunAlertsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly channel: OverrunAlertChannel;
}

interface Claimed {
  readonly watch: OverrunWatch;
  readonly channelId: string;
}

/** How long an alert waits if no channel is chosen. If one is chosen meanwhile, the alert is due then. */
const NO_CHANNEL_MS = 86_400_000;

/**
 * Tells communities in their alerts channel when a member's new jobs begin to wait for a review: each wait once, through
 * crashes and from several processes. A charge that was reviewed meanwhile is not told.
 */
export class OverrunAlerts implements AsyncDisposable {
  readonly #options: OverrunAlertsOptions;
  readonly #outbox: Outbox<Claimed>;

  constructor(options: OverrunAlertsOptions) {
    const { db, clock, log } = options;
    this.#options = options;
    this.#outbox = new Outbox({
      clock,
      log,
      claim: (nowMs) => this.#claim(nowMs),
      send: (claimed, signal) => this.#send(claimed, signal),
      nextDueAtMs: () => nextOverrunAlertAtMs(db.kysely),
    });
  }

  /** The chat is connected: sends from now on, also what a crash left unsent. */
  start(): void {
    this.#outbox.start();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#outbox[Symbol.asyncDispose]();
  }

  async #claim(nowMs: number): Promise<Claimed | 'settled' | undefined> {
    const { db } = this.#options;
    const due = await findDueOverrunAlert(db.kysely, nowMs);
    if (!due) return undefined;
    return db.transaction(`guild:${due.guild_id}`, async (trx) => {
      const leaseUntilMs = nowMs + SEND_LEASE_MS;
      const watch = await claimOverrunAlert(trx, due.subject, { nowMs, leaseUntilMs });
      if (!watch) return 'settled';
      const channelId = (await findBudgetSettings(trx, watch.guild_id))?.alerts_channel_id ?? null;
      if (channelId !== null) return { watch, channelId };
      await updateOverrunAlert(trx, watch, { alert_due_at_ms: nowMs + NO_CHANNEL_MS, alert_attempts: 0 });
      return 'settled';
    });
  }

  async #send({ watch, channelId }: Claimed, stopping: AbortSignal): Promise<void> {
    const { db, clock, log, channel } = this.#options;
    const { guild_id: guildId, subject } = watch;
    const isRepeat = watch.alert_attempts > 1;
    try {
      const told = await withDeadline(
        clock,
        SEND_DEADLINE_MS,
        (signal) => channel.tellOverrun(channelId, toAlert(watch), { isRepeat, signal }),
        stopping,
      );
      if (told.outcome === 'refused') {
        log.warn(
          { guildId, subject, reason: told.reason },
          'An overrun alert is given up: its channel takes none',
        );
      }
      await updateOverrunAlert(db.kysely, watch, { alert_due_at_ms: null });
    } catch (error) {
      const atMs = stopping.aborted ? clock.now() : sendAgainAtMs(watch.alert_attempts, clock.now());
      await updateOverrunAlert(db.kysely, watch, { alert_due_at_ms: atMs });
      if (stopping.aborted) return;
      const what =
        atMs === null
          ? 'An overrun alert is given up: too many tries failed'
          : 'Cannot send an overrun alert';
      log.warn({ guildId, subject, error }, what);
    }
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
