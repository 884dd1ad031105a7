import { once } from 'node:events';
import { openDatabase } from '../../../db/database.ts';
import { getSetting, putSetting } from '../../../db/queries/settings.ts';

/** Adds one to a count. Stops in mid-transaction while it holds its scope's lock, until its parent resumes it. */
await using database = await openDatabase({ url: process.argv[2] ?? '' });
process.send?.('ready');
await once(process, 'message');
let runs = 0;
await database.transaction('guild:guild', async (trx) => {
  runs += 1;
  const count = Number((await getSetting(trx, 'count')) ?? 0);
  if (runs === 1) process.kill(process.pid, 'SIGSTOP');
  await putSetting(trx, 'count', String(count + 1));
});
process.send?.({ runs });
process.disconnect();
