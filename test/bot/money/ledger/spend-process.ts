import { openDatabase } from '../../../../db/database.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { micros } from '../../../../src/base/money.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import { DOLLAR_A_DAY, aHold } from './a-hold.ts';

/** Holds and posts until it is killed, and reports each subject once its charge is committed. */
await using database = await openDatabase({ url: process.argv[2] ?? '' });
const ledger = new Ledger({ clock: new FakeClock(), defaultBudget: DOLLAR_A_DAY });
for (let index = 0; index < 10_000 && process.connected; index++) {
  const subject = `job-${index}`;
  await database.transaction('guild:guild', (trx) => ledger.hold(trx, aHold(subject, micros(2))));
  await database.transaction('guild:guild', (trx) =>
    ledger.post(trx, { subject, charged: micros(index % 4) }),
  );
  process.send?.(subject);
}
