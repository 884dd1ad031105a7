import { expect, test } from 'vitest';
import type { Evidence } from '../../../../src/bot/money/reconciliation/judge.ts';
import {
  MINUTE_MS,
  NOW_MS,
  aCall,
  aRecord,
  at,
  foreign,
  judged,
  open,
  price,
  prices,
  unconfirmed,
} from './a-call.ts';

test('a call whose id has a price that its neighbour’s books do not allow does not get a foreign record', () => {
  const calls = [aCall('open', open), aCall('wrong', price(3))];
  const records = [
    aRecord('srv_open', price(3)),
    aRecord('stranger', price(2)),
    aRecord('srv_wrong', price(2)),
  ];
  expect(prices(judged({ calls, records }))).toEqual({});
});

test('ids are trusted once three known jobs have records with their ids, and not before', () => {
  const calls = ['a', 'b', 'c'].map((subject) => aCall(subject));
  const records = calls.map(({ serviceId }) => aRecord(serviceId ?? ''));
  expect(judged({ calls: calls.slice(0, 2), records }).ids).toBe('unproven');
  expect(judged({ calls, records }).ids).toBe('equal');
  expect(judged({ calls, records: records.map((record) => ({ ...record, id: `u_${record.id}` })) }).ids).toBe(
    'different',
  );
});

test('an id that belongs to a job of another capability proves that ids are different', () => {
  const calls = ['a', 'b', 'c', 'd'].map((subject) => aCall(subject));
  const records = calls.map(({ serviceId }) => aRecord(serviceId ?? ''));
  const other = { ...aRecord('srv_d'), endpoint: 'avatar', feature: 'avatar' };
  expect(judged({ calls, records: [...records.slice(0, 3), other], ids: 'equal' }).ids).toBe('different');
});

test('with equal ids an open call is settled and a difference is found, even in a log with gaps', () => {
  const calls = [aCall('a', open), aCall('b'), aCall('c')];
  const records = [aRecord('srv_a', price(7)), aRecord('srv_b', price(3)), aRecord('srv_c')];
  const verdicts = judged({ calls, records, ids: 'equal', complete: false });
  expect(prices(verdicts)).toEqual({ a: 70_000 });
  expect(verdicts.differing).toMatchObject([{ call: { subject: 'b' }, charged: 30_000 }]);
  expect(foreign(verdicts)).toEqual([]);
});

test('a record that has not ended, or has no price yet, settles and corrects nothing', () => {
  const calls = [aCall('a', open), aCall('b')];
  const records = [
    aRecord('srv_a', { status: 'processing', ...price(0) }),
    aRecord('srv_b', price(0)),
    aRecord('x', { status: 'paused' }),
  ];
  const verdicts = judged({ calls, records, ids: 'equal' });
  expect([verdicts.settled, verdicts.differing, verdicts.foreign, verdicts.absent]).toEqual([[], [], [], []]);
  expect(verdicts.undecided.map(({ id }) => id)).toEqual(['x']);
});

test.each(['live_swap_pro', 'voice_swap'])('a %s session that never streamed ends at no cost', (feature) => {
  const calls = [aCall('a', { ...open, feature })];
  const records = [aRecord('srv_a', { feature, reason: 'no_stream', ...price(0) })];
  expect(prices(judged({ calls, records, ids: 'equal' }))).toEqual({ a: 0 });
});

test('a record that belongs to no call is foreign, with equal ids even in a log with gaps', () => {
  const records = [aRecord('x', price(50))];
  expect(foreign(judged({ calls: [aCall('a')], records, ids: 'equal', complete: false }))).toEqual(['x']);
  expect(foreign(judged({ calls: [], records, complete: false }))).toEqual([]);
  expect(foreign(judged({ calls: [], records }))).toEqual(['x']);
});

test('while a submit is unconfirmed, a record that may belong to it is not foreign', () => {
  const underWay = aCall('a', { ...unconfirmed, isUnderWay: true, toMs: Infinity });
  const verdicts = judged({ calls: [underWay], records: [aRecord('x')], ids: 'equal' });
  expect([verdicts.settled, foreign(verdicts), verdicts.undecided.length]).toEqual([[], [], 1]);
});

test('with different ids, an open call gets the one record of its capability and time', () => {
  const calls = [aCall('a', open), aCall('b', { ...open, ...at(200) })];
  const records = [
    aRecord('u1', price(7)),
    aRecord('u2', { ...price(9), createdAtMs: 203 * MINUTE_MS }),
    aRecord('u3', { feature: 'avatar', endpoint: 'avatar', ...price(8) }),
  ];
  const verdicts = judged({ calls, records, ids: 'different' });
  expect([prices(verdicts), foreign(verdicts)]).toEqual([{ a: 70_000, b: 90_000 }, ['u3']]);
  expect(judged({ calls, records, ids: 'different', complete: false }).settled).toEqual([]);
});

test('known prices show which record is left for the open call', () => {
  const calls = [aCall('known'), aCall('open', open)];
  const records = [aRecord('u1'), aRecord('u2', price(6))];
  expect(prices(judged({ calls, records, ids: 'different' }))).toEqual({ open: 60_000 });
});

test('with equal prices it does not matter which record belongs to which call', () => {
  const calls = [aCall('known'), aCall('a', open), aCall('b', open)];
  const records = ['u1', 'u2', 'u3'].map((id) => aRecord(id));
  expect(prices(judged({ calls, records, ids: 'different' }))).toEqual({ a: 40_000, b: 40_000 });
});

test.each([
  ['two prices for one call', [aCall('a', open)], [aRecord('u1'), aRecord('u2', price(9))]],
  ['two calls for one record', [aCall('a', open), aCall('b', open)], [aRecord('u1')]],
  [
    'a submit never confirmed and a record too many',
    [aCall('a', unconfirmed)],
    [aRecord('u1'), aRecord('u2')],
  ],
  ['a settled job without its record', [aCall('k'), aCall('a', open)], [aRecord('u1', price(9))]],
])('%s settle nothing', (_name, calls, records) => {
  const verdicts = judged({ calls, records, ids: 'different' });
  expect([verdicts.settled, verdicts.absent]).toEqual([[], []]);
});

test('a record near jobs that all have one is foreign; near a job without one it may belong to that job', () => {
  const calls = [aCall('a'), aCall('b')];
  const records = [aRecord('u1'), aRecord('u2'), aRecord('u3', price(50))];
  expect(foreign(judged({ calls, records, ids: 'different' }))).toEqual(['u3']);
  expect(foreign(judged({ calls, records: records.slice(1), ids: 'different' }))).toEqual([]);
});

test('a call that is missing from a complete log was never made, but only after a while', () => {
  const calls = [aCall('a', unconfirmed), aCall('b', open)];
  const absent = (changes: Partial<Evidence>): readonly string[] =>
    judged({ calls, ids: 'equal', ...changes })
      .absent.map(({ subject }) => subject)
      .toSorted();
  expect(absent({})).toEqual(['a', 'b']);
  expect(absent({ complete: false })).toEqual([]);
  expect(absent({ nowMs: 120 * MINUTE_MS })).toEqual([]);
  expect(absent({ window: { fromMs: 101 * MINUTE_MS, toMs: NOW_MS } })).toEqual([]);
  // The record belongs to a job that is still running at the service, whatever its id is.
  expect(absent({ records: [aRecord('x', { status: 'processing', ...price(0) })] })).toEqual(['b']);
});

test('ten thousand calls and records are judged at once', () => {
  const subjects = Array.from({ length: 10_000 }, (_, index) => index);
  const calls = subjects.map((index) => aCall(`s${index}`, at(index % 900)));
  const records = subjects.map((index) =>
    aRecord(`u${index}`, { createdAtMs: ((index % 900) + 1) * MINUTE_MS }),
  );
  const verdicts = judged({ calls: [...calls, aCall('open', { ...open, ...at(3000) })], records });
  expect([verdicts.ids, foreign(verdicts), verdicts.settled]).toEqual(['different', [], []]);
});
