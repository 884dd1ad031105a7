import { once } from 'node:events';
import { openDatabase } from '../../db/database.ts';
import { RateLog } from '../../db/rate-log.ts';
import { systemClock } from '../../src/base/clock.ts';
import { RateBudget } from '../../src/media-api/rate-budget.ts';

/** Requests far more slots of a shared key than exist, and reports the times at which slots were granted. */
await using database = await openDatabase({ url: process.argv[2] ?? '' });
process.send?.('ready');
await once(process, 'message');
using budget = new RateBudget({
  log: new RateLog(database, () => 'key'),
  clock: systemClock,
  requestsPerMinute: 60,
  marginMs: 2_000,
  waitMsMax: 5_000,
});
const grantedAtMs: number[] = [];
const asked = Array.from({ length: 100 }, (_, index) =>
  budget.take(index % 2 === 0 ? 'interactive' : 'poll').then(
    () => grantedAtMs.push(Date.now()),
    () => undefined,
  ),
);
await Promise.all(asked);
process.send?.(grantedAtMs);
process.disconnect();
