import { once } from 'node:events';
import { openDatabase } from '../../../../db/database.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { micros } from '../../../../src/base/money.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import { MediaApi } from '../../../../src/media-api/media-api.ts';
import { Reconciliation } from '../../../../src/bot/money/reconciliation/reconciliation.ts';
import { NO_NOTES } from './no-notes.ts';

/**
 * Compares the books with the service. The first argument is the URL of the database, the second is that of the
 * service. Reports whether this process was allowed to compare.
 */
const [url = '', baseUrl = ''] = process.argv.slice(2);
await using db = await openDatabase({ url });
await using api = new MediaApi({ baseUrl, apiKey: 'key-of-the-test', requestsPerMinute: 10_000 });
const clock = systemClock;
const defaultBudget = { limit: micros(1e9), period: 'month', timeZone: 'UTC' } as const;
await using reconciliation = new Reconciliation({
  db,
  api,
  clock,
  log: silentLogger,
  ledger: new Ledger({ clock, defaultBudget }),
  notes: NO_NOTES,
});
process.send?.('ready');
await once(process, 'message');
const report = await reconciliation.run();
process.send?.(report !== undefined);
process.disconnect();
