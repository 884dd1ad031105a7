import { join } from 'node:path';
import type { Client } from 'discord.js';
import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../../../db/database.ts';
import type { NewBudgetAlert } from '../../../../db/schema/alerts.ts';
import type { Clock } from '../../../../src/base/clock.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { micros } from '../../../../src/base/money.ts';
import { DiscordAlertChannels } from '../../../../src/bot/discord/cards/discord-alert-channels.ts';
import { budgetAlerts } from '../../../../src/bot/money/alerts/budget-alerts.ts';
import type { SandboxChannel } from '../../../../src/sandbox/script/sandbox-guild.ts';
import { useDatabase, useDatabaseUrl } from '../../../db/use-database.ts';
import { useClub } from '../../discord/use-bot.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { AS_NOTED } from './as-noted.ts';

const HOUR_MS = 3_600_000;

/** A guild in the sandbox with a channel for alerts, and a database. No sender is running yet. */
export interface AlertBench {
  readonly clock: FakeClock;
  readonly client: Client<true>;
  readonly db: Database;
  readonly databaseUrl: string;
  readonly sandbox: Awaited<ReturnType<typeof useClub>>['sandbox'];
  readonly guildId: string;
  readonly channel: SandboxChannel;
  readonly logged: string[];
  /** Starts a sender with its own database connection. */
  startsSender(): Promise<AsyncDisposable>;
  /** Inserts an alert that a cap has reached this percentage of its limit. */
  reached(percent: 50 | 80 | 100, changes?: Partial<NewBudgetAlert>): Promise<NewBudgetAlert>;
  /** Sets the guild's channel for alerts to this one. */
  chose(channelId: string | null): Promise<void>;
  unsent(): Promise<number>;
  /** Returns the number of open alerts that wait for a later time. */
  waiting(): Promise<number>;
}

export async function useAlerts(): Promise<AlertBench> {
  const clock = new FakeClock(Date.UTC(2026, 10, 22, 12));
  const { sandbox, guild, channel, client } = await useClub(clock);
  const path = join(await useFolder(), 'alerts.db');
  const databaseUrl = await useDatabaseUrl(path);
  const db = await useDatabase(path);
  const logged: string[] = [];
  const parts = { clock, log: recordingLogger(logged) };
  return {
    clock,
    client,
    db,
    databaseUrl,
    sandbox,
    guildId: guild.id,
    channel,
    logged,
    startsSender: () => startSender(databaseUrl, client, parts),
    reached: (percent, changes) => insertAlert(db, { ...anAlert(guild.id, percent, clock), ...changes }),
    async chose(channelId) {
      const row = { guild_id: guild.id, time_zone: null, confirm_above_micros: null };
      await db.kysely.deleteFrom('budget_settings').execute();
      await db.kysely
        .insertInto('budget_settings')
        .values({ ...row, alerts_channel_id: channelId })
        .execute();
    },
    async waiting() {
      const rows = await db.kysely.selectFrom('budget_alerts').selectAll().execute();
      return rows.filter((row) => row.told_at_ms === null && row.due_at_ms > clock.now() + HOUR_MS).length;
    },
    async unsent() {
      const rows = await db.kysely.selectFrom('budget_alerts').select('told_at_ms').execute();
      return rows.filter((row) => row.told_at_ms === null).length;
    },
  };
}

async function startSender(
  url: string,
  client: Client<true>,
  parts: { readonly clock: Clock; readonly log: ReturnType<typeof recordingLogger> },
): Promise<AsyncDisposable> {
  const db = await openDatabase({ url });
  const alerts = budgetAlerts({
    ...parts,
    db,
    channel: new DiscordAlertChannels({ client }),
    ledger: AS_NOTED,
  });
  const end = async (): Promise<void> => {
    await alerts[Symbol.asyncDispose]();
    await db[Symbol.asyncDispose]();
  };
  onTestFinished(end);
  alerts.start();
  return { [Symbol.asyncDispose]: end };
}

function anAlert(guildId: string, percent: 50 | 80 | 100, clock: Clock): NewBudgetAlert {
  const nowMs = clock.now();
  const startsAtMs = nowMs - 12 * HOUR_MS;
  return {
    id: `alert_${guildId}_${percent}`,
    guild_id: guildId,
    target_kind: 'guild',
    target_id: '',
    user_id: '',
    capability: '',
    period: 'day',
    starts_at_ms: startsAtMs,
    ends_at_ms: startsAtMs + 24 * HOUR_MS,
    percent,
    limit_micros: micros(300_000),
    used_micros: micros(3_000 * percent),
    pending_micros: micros(40_000),
    made_at_ms: nowMs,
    due_at_ms: nowMs,
    told_at_ms: null,
  };
}

async function insertAlert(db: Database, alert: NewBudgetAlert): Promise<NewBudgetAlert> {
  await db.kysely.insertInto('budget_alerts').values(alert).execute();
  return alert;
}
