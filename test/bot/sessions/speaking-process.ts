import { openDatabase } from '../../../db/database.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/log.ts';
import { micros } from '../../../src/base/money.ts';
import { Ledger } from '../../../src/bot/money/ledger/ledger.ts';
import { PaidSessions } from '../../../src/bot/sessions/paid-sessions.ts';
import { MediaApi } from '../../../src/media-api/media-api.ts';

/**
 * Opens a session, speaks, and continues until it is killed. With `stop`, keeps reporting that the session is being
 * opened.
 */
const [url = '', baseUrl = '', apiKey = '', stop = ''] = process.argv.slice(2);
const db = await openDatabase({ url });
const clock = systemClock;
const ledger = new Ledger({
  clock,
  defaultBudget: { limit: micros(10_000_000), period: 'month', timeZone: 'UTC' },
});
const sessions = new PaidSessions({
  db,
  ledger,
  api: new MediaApi({ baseUrl, apiKey }),
  clock,
  log: silentLogger,
  quotes: { ofSession: (_capability, seconds) => ({ hold: micros(1_000 * seconds), snapshot: '{}' }) },
  limits: { beatMs: 100, leaseMs: 1_000 },
});
sessions.start();
if (stop === 'opening') setInterval(() => process.send?.({ state: 'opening' }), 50);
process.send?.({ state: 'opening' });
const line = await sessions.voice.open({
  guildId: 'guild',
  channelId: 'channel',
  userId: '100',
  roleIds: [],
  voiceId: stop === '' ? 'mirror' : null,
  minutes: 2,
});
line.onConverted(() => process.send?.({ state: 'open', id: line.id, meteredMs: line.standing.meteredMs }));
setInterval(() => line.send(new Int16Array(960)), 20);
