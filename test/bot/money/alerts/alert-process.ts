import { Client } from 'discord.js';
import { once } from 'node:events';
import { openDatabase } from '../../../../db/database.ts';
import { budgetAlertQueue } from '../../../../db/queries/budget-alerts.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { DiscordAlertChannels } from '../../../../src/bot/discord/cards/discord-alert-channels.ts';
import { budgetAlerts } from '../../../../src/bot/money/alerts/budget-alerts.ts';
import { AS_NOTED } from './as-noted.ts';

/**
 * Sends all due alerts at the given time, at the same time as other processes. Reports to its parent process when none
 * are left.
 */
const [, , url = '', apiUrl = '', token = '', nowMs = '0'] = process.argv;
const clock = { ...systemClock, now: () => Number(nowMs) };
const client = new Client({ intents: [], rest: { api: apiUrl } });
client.rest.setToken(token);
await using db = await openDatabase({ url });
process.send?.('ready');
await once(process, 'message');
await using alerts = budgetAlerts({
  db,
  clock,
  log: silentLogger,
  channel: new DiscordAlertChannels({ client }),
  ledger: AS_NOTED,
});
alerts.start();
while ((await budgetAlertQueue.nextDueAtMs(db.kysely)) !== undefined) {
  await new Promise((resolve) => void setImmediate(resolve));
}
process.send?.('told');
process.disconnect();
