import { expect, test } from 'vitest';
import type { UsageRecord } from '../../../../src/media-api/account.ts';
import type { IdRelation } from '../../../../src/bot/money/reconciliation/id-relation.ts';
import type { KnownCall } from '../../../../src/bot/money/reconciliation/known-call.ts';
import { MINUTE_MS, NOW_MS, aCall, aRecord, judged, open, price } from './a-call.ts';

const DAY_MS = 1_440 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The number of calls of each kind. */
interface Calls {
  /** Calls with a record that has the same id and the same price. */
  readonly agree?: number;
  /** Calls with a record that has the same id but another price. */
  readonly differ?: number;
  /** Calls with a record that has the same id but another time. */
  readonly late?: number;
  /** Calls without a record that has the same id. */
  readonly miss?: number;
  readonly sessionsAgree?: number;
  readonly sessionsMiss?: number;
}

const SESSION = { feature: 'voice_swap', endpoint: 'voice' };

/** Returns the relation of record ids to call ids after a comparison that found these calls. */
function relation(before: IdRelation, found: Calls, complete = true): IdRelation {
  const calls: KnownCall[] = [];
  const records: UsageRecord[] = [];
  const add = (count: number, own: Partial<KnownCall>, changes?: Partial<UsageRecord>): void => {
    for (let index = 0; index < count; index++) {
      const call = aCall(`${calls.length}`, own);
      calls.push(call);
      if (changes) records.push(aRecord(call.serviceId ?? '', changes));
    }
  };
  const { agree = 0, differ = 0, late = 0, miss = 0, sessionsAgree = 0, sessionsMiss = 0 } = found;
  add(agree, {}, {});
  add(differ, {}, price(3));
  add(late, {}, { createdAtMs: 106 * MINUTE_MS });
  add(miss, {});
  add(sessionsAgree, { feature: SESSION.feature }, SESSION);
  add(sessionsMiss, { feature: SESSION.feature });
  return judged({ calls, records, ids: before, complete }).ids;
}

test.each<readonly [IdRelation, Calls, IdRelation]>([
  ['unproven', {}, 'unproven'],
  ['unproven', { agree: 2 }, 'unproven'],
  ['unproven', { agree: 3 }, 'equal'],
  ['different', { agree: 2 }, 'different'],
  ['different', { agree: 3 }, 'equal'],
  ['unproven', { agree: 3, differ: 1 }, 'unproven'],
  ['unproven', { agree: 4, differ: 1 }, 'equal'],
  ['unproven', { agree: 3, late: 1 }, 'unproven'],
  ['unproven', { agree: 4, late: 1 }, 'equal'],
  ['unproven', { agree: 6, differ: 1, late: 1 }, 'unproven'],
  ['unproven', { agree: 7, differ: 1, late: 1 }, 'equal'],
  ['equal', { agree: 1, differ: 5 }, 'equal'],
  ['unproven', { miss: 2 }, 'unproven'],
  ['unproven', { miss: 3 }, 'different'],
  ['equal', { miss: 2 }, 'equal'],
  ['equal', { miss: 3 }, 'unproven'],
  ['different', { miss: 3 }, 'different'],
  ['equal', { agree: 1, miss: 3 }, 'equal'],
  ['unproven', { agree: 1, miss: 3 }, 'unproven'],
  ['unproven', { agree: 3, sessionsMiss: 2 }, 'equal'],
  ['unproven', { agree: 3, sessionsMiss: 3 }, 'unproven'],
  ['equal', { agree: 3, sessionsMiss: 3 }, 'unproven'],
  ['unproven', { sessionsAgree: 3, miss: 2 }, 'equal'],
  ['unproven', { sessionsAgree: 3, miss: 3 }, 'unproven'],
  ['equal', { agree: 3, sessionsAgree: 1, sessionsMiss: 2 }, 'equal'],
])('%s ids with %j become %s', (before, found, after) => {
  expect(relation(before, found)).toBe(after);
});

test('ids that are missing in a log with gaps prove nothing', () => {
  expect(relation('unproven', { miss: 9 }, false)).toBe('unproven');
  expect(relation('equal', { miss: 9 }, false)).toBe('equal');
  expect(relation('unproven', { agree: 3, sessionsMiss: 9 }, false)).toBe('equal');
});

test.each<readonly [string, Partial<KnownCall>, IdRelation]>([
  ['ended long ago', {}, 'different'],
  ['is running', { isUnderWay: true, toMs: Infinity, charged: null }, 'unproven'],
  ['was never confirmed', { serviceId: null, charged: null }, 'unproven'],
  ['began before the window', { fromMs: -1 }, 'unproven'],
  ['began with the window', { fromMs: 0 }, 'different'],
  ['ended less than an hour ago', { toMs: NOW_MS - HOUR_MS }, 'unproven'],
  ['ended an hour ago', { toMs: NOW_MS - HOUR_MS - 1 }, 'different'],
])('a call that %s, among others without a record, makes ids %s', (_name, changes, after) => {
  const calls = [aCall('a'), aCall('b'), aCall('c', changes)];
  expect(judged({ calls }).ids).toBe(after);
});

test.each<readonly [string, Partial<UsageRecord>, IdRelation]>([
  ['a day before its call', { createdAtMs: 5_000 * MINUTE_MS - DAY_MS }, 'equal'],
  ['more than a day before', { createdAtMs: 5_000 * MINUTE_MS - DAY_MS - 1 }, 'different'],
  ['a day after', { createdAtMs: 5_005 * MINUTE_MS + DAY_MS }, 'equal'],
  ['more than a day after', { createdAtMs: 5_005 * MINUTE_MS + DAY_MS + 1 }, 'different'],
  ['with another endpoint only', { createdAtMs: 5_001 * MINUTE_MS, endpoint: 'face-swap/image' }, 'equal'],
  ['with another name only', { createdAtMs: 5_001 * MINUTE_MS, feature: 'face_swap' }, 'equal'],
  [
    'of another capability',
    { createdAtMs: 5_001 * MINUTE_MS, feature: 'avatar', endpoint: 'avatar' },
    'different',
  ],
])('one record of a known id %s makes all ids %s', (_name, changes, after) => {
  const strange = aCall('x', { fromMs: 5_000 * MINUTE_MS, toMs: 5_005 * MINUTE_MS });
  const calls = [...['a', 'b', 'c', 'd'].map((subject) => aCall(subject)), strange];
  const records = calls.map(({ serviceId }) => aRecord(serviceId ?? ''));
  const last = aRecord('srv_x', changes);
  expect(judged({ calls, records: [...records.slice(0, 4), last], ids: 'equal' }).ids).toBe(after);
});

test('a price that an open call, or a record without a price, cannot confirm raises no doubt', () => {
  const calls = ['a', 'b', 'c'].map((subject) => aCall(subject));
  const records = calls.map(({ serviceId }) => aRecord(serviceId ?? ''));
  const more = [aCall('open', open), aCall('early')];
  const theirs = [aRecord('srv_open', price(9)), aRecord('srv_early', price(0))];
  expect(judged({ calls: [...calls, ...more], records: [...records, ...theirs] }).ids).toBe('equal');
});
