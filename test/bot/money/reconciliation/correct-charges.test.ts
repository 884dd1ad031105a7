import { expect, test } from 'vitest';
import { insertSession } from '../../../../db/queries/sessions.ts';
import { deleteSuggestion, putSuggestion, putUsageOwner } from '../../../../db/queries/usage-owners.ts';
import { micros } from '../../../../src/base/money.ts';
import { correctCharges } from '../../../../src/bot/money/reconciliation/correct-charges.ts';
import { bookForeign } from '../../../../src/bot/money/reconciliation/book-foreign.ts';
import { keepSuggestions } from '../../../../src/bot/money/reconciliation/keep-suggestions.ts';
import { aSession } from '../../../db/a-session.ts';
import { aHold } from '../ledger/a-hold.ts';
import { aCall, aRecord, price } from './a-call.ts';
import { useAccount } from './use-account.ts';

const CENT = 10_000;
const { signal } = new AbortController();

/**
 * Returns the booked price in cents of a job for $0.04, after the log has reported the prices `said` one after the
 * other, while the service reports the price `told` for the job. If `told` is null, the service no longer knows the
 * job.
 */
async function bookedAfter(said: readonly number[], told: number | null): Promise<number> {
  const bench = await useAccount();
  const subject = await bench.job('one');
  if (told === null) bench.jobs.clear();
  else bench.reprice(0, told, { job: 'one' });
  let disputed = {};
  for (const cents of said) {
    await bench.clock.advance(1);
    const { charged_micros: charged } = await bench.hold(subject);
    const finding = { call: aCall(subject, { charged }), recordId: 'srv_one', ...price(cents) };
    const differing = cents * CENT === charged ? [] : [finding];
    const seen = { disputed, readAtMs: bench.clock.now() };
    disputed = await correctCharges(differing, seen, bench.context(), signal);
  }
  expect(await bench.differences()).toEqual([]);
  return (await bench.hold(subject)).charged_micros / CENT;
}

test.each<readonly [readonly number[], number | null, number]>([
  [[3], 4, 4],
  [[3, 3], 4, 3],
  [[3, 3, 3], 4, 3],
  [[3, 2], 4, 4],
  [[3, 2, 2], 4, 2],
  [[3, 2, 3], 4, 4],
  [[3, 4, 3], 4, 4],
  // The price that the service reports for the job itself takes precedence.
  [[3, 3, 2], 4, 4],
  [[3, 3, 2, 2], 4, 4],
  [[3, 3, 2, 2, 2], 4, 2],
  [[3], 2, 2],
  [[3], null, 3],
  [[3, 2], null, 2],
])('for $0.04, if the log says %j cents in turn and the job %j, %j are booked', async (said, told, cents) => {
  expect(await bookedAfter(said, told)).toBe(cents);
});

test('at most twenty charges are corrected in one comparison; their sessions follow', async () => {
  const bench = await useAccount();
  const calls = Array.from({ length: 21 }, (_, index) => aCall(`live_${index}`));
  for (const { subject } of calls) {
    await bench.database.transaction('guild:guild', async (trx) => {
      await bench.ledger.hold(trx, aHold(subject, micros(10 * CENT)));
      await bench.ledger.post(trx, { subject, charged: micros(4 * CENT) });
      await insertSession(trx, aSession(subject));
    });
  }
  const differing = calls.map((call) => ({ call, recordId: `u_${call.subject}`, ...price(3) }));
  const seen = { disputed: {}, readAtMs: bench.clock.now() };
  expect(await correctCharges(differing, seen, bench.context(), signal)).toEqual({});
  expect(await bench.cents('guild')).toMatchObject({ spent: 20 * 3 + 4 });
  const sessions = await bench.database.kysely.selectFrom('sessions').selectAll().execute();
  expect(sessions.filter(({ charged_micros: charged }) => charged === 3 * CENT)).toHaveLength(20);
});

test('a charge from a log that was read before the one in the books was learned corrects nothing', async () => {
  const bench = await useAccount();
  await bench.database.transaction('guild:guild', async (trx) => {
    await bench.ledger.hold(trx, aHold('a', micros(10 * CENT)));
    await bench.ledger.post(trx, { subject: 'a', charged: micros(4 * CENT) });
  });
  const differing = [{ call: aCall('a'), recordId: 'u', ...price(3) }];
  const readAtMs = bench.clock.now() - 1;
  await correctCharges(differing, { disputed: {}, readAtMs }, bench.context(), signal);
  expect(await bench.cents('guild')).toMatchObject({ spent: 4 });
});

test('foreign use follows the decision that the operator made after the log was read', async () => {
  const bench = await useAccount();
  const owner = { decided_by: 'operator', decided_at_ms: 1 };
  await bench.database.transaction('account', async (trx) => {
    await putUsageOwner(trx, { ...owner, record_id: 'ours', subject: 'job_a' });
    await putUsageOwner(trx, { ...owner, record_id: 'theirs', subject: null });
  });
  const found = ['ours', 'theirs', 'new'].map((id, index) => aRecord(id, price(index + 1)));
  const book = (foreign: typeof found, oursIds: readonly string[] = []): Promise<void> =>
    bookForeign({ foreign, oursIds: new Set(oursIds) }, found, bench.context(), signal);
  await book(found);
  expect(await bench.cents('')).toMatchObject({ foreign: 2 + 3 });
  const entries = await bench.entries();
  await book(found);
  expect(await bench.entries()).toBe(entries);
  await book([aRecord('new', price(1))], ['theirs']);
  expect(await bench.cents('')).toMatchObject({ foreign: 1 });
  await book([], ['new']);
  expect(await bench.cents('')).toMatchObject({ foreign: 0 });
  expect(await bench.differences()).toEqual([]);
});

test('all of many foreign records are booked', async () => {
  const bench = await useAccount();
  const foreign = Array.from({ length: 401 }, (_, index) => aRecord(`u${index}`, price(1)));
  await bookForeign({ foreign, oursIds: new Set() }, [], bench.context(), signal);
  expect(await bench.cents('')).toMatchObject({ foreign: 401 });
});

test('suggestions follow the log: those that it no longer supports are deleted, and those that it does not show stay while their holds are open', async () => {
  const bench = await useAccount();
  const known = [
    ['open', 'wanted'],
    ['open', 'unwanted'],
    ['open', 'unseen'],
    ['ended', 'unseen'],
    ['ended', 'wanted'],
    ['ended', 'unwanted'],
  ];
  const old = { charged_micros: micros(9 * CENT), recorded_at_ms: 1 };
  await bench.database.transaction('account', async (trx) => {
    for (const [subject = '', record_id = ''] of known) {
      await putSuggestion(trx, { subject, record_id, ...old });
    }
    const owner = { record_id: 'decided', subject: null, decided_by: null, decided_at_ms: 1 };
    await putUsageOwner(trx, owner);
  });
  const records = ['wanted', 'unwanted', 'decided', 'fresh'].map((id) => aRecord(id, price(5)));
  const suggested = [
    ['open', 'wanted'],
    ['ended', 'wanted'],
    ['open', 'decided'],
    ['open', 'fresh'],
  ].flatMap(([subject = '', id]) =>
    records.filter((record) => record.id === id).map((record) => ({ call: aCall(subject), record })),
  );
  await keepSuggestions(suggested, { records, open: ['open'] }, bench.context());
  expect((await bench.suggestions()).map((row) => row.join(' ')).toSorted()).toEqual([
    'ended wanted 5',
    'open fresh 5',
    'open unseen 9',
    'open wanted 5',
  ]);
  await keepSuggestions([], { records, open: ['open'] }, bench.context());
  expect(await bench.suggestions()).toEqual([['open', 'unseen', 9]]);
  const last = { subject: 'open', record_id: 'unseen' };
  await bench.database.transaction('account', (trx) => deleteSuggestion(trx, last));
  expect(await bench.suggestions()).toEqual([]);
});
