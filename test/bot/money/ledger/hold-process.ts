import { once } from 'node:events';
import { openDatabase } from '../../../../db/database.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { micros } from '../../../../src/base/money.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import { DOLLAR_A_DAY, aHold } from './a-hold.ts';

/**
 * Requests `count` holds of 0.10 USD at the same time, with a limit of one dollar a day. Reports how many were granted.
 */
const [url = '', count = '0', name = ''] = process.argv.slice(2);
await using database = await openDatabase({ url });
const ledger = new Ledger({ clock: new FakeClock(), defaultBudget: DOLLAR_A_DAY });
process.send?.('ready');
await once(process, 'message');
const outcomes = await Promise.all(
  Array.from({ length: Number(count) }, (_, index) =>
    database.transaction('guild:guild', (trx) =>
      ledger.hold(trx, aHold(`${name}-${index}`, micros(100_000))),
    ),
  ),
);
process.send?.(outcomes.filter((outcome) => outcome.held).length);
process.disconnect();
