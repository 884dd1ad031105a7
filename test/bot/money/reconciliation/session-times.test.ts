import { expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import type { UsageRecord } from '../../../../src/media-api/account.ts';
import type { KnownCall } from '../../../../src/bot/money/reconciliation/known-call.ts';
import { aCall, aRecord, judged, open, price, prices } from './a-call.ts';

const START_MS = 10_000_000;
const RECORD_MS = START_MS + 60_000;

type Span = readonly [openedFrom: number, openedBy: number, endedFrom: number, endedBy: number];

/** Creates a voice session with these times, in milliseconds after `START_MS`. */
function aSession(subject: string, span: Span, changes: Partial<KnownCall> = {}): KnownCall {
  const [openedFromMs = 0, openedByMs = 0, endedFromMs = 0, endedByMs = 0] = span.map((ms) => START_MS + ms);
  return aCall(subject, {
    feature: 'voice_swap',
    fromMs: START_MS - 900_000,
    toMs: START_MS + 900_000,
    span: { openedFromMs, openedByMs, endedFromMs, endedByMs },
    ...changes,
  });
}

const aVoiceRecord = (id: string, changes: Partial<UsageRecord> = {}): UsageRecord =>
  aRecord(id, { feature: 'voice_swap', endpoint: 'voice', createdAtMs: RECORD_MS, ...changes });

/**
 * Returns whether a record settles the session `other`, if the record was created `apartMs` after the record of a known
 * session. Both sessions may have the same price.
 */
function isOthers(known: Span, other: Span, apartMs: number): boolean {
  const bounds = { least: micros(30_000), most: micros(60_000) };
  const calls = [aSession('known', known), aSession('other', other, { ...open, bounds })];
  const records = [aVoiceRecord('u1'), aVoiceRecord('u2', { ...price(5), createdAtMs: RECORD_MS + apartMs })];
  return prices(judged({ calls, records, ids: 'different' }))['other'] === 50_000;
}

/**
 * Between two moments, a clock may drift by two seconds, but it never dates the later moment before the earlier one.
 */
test.each<readonly [string, Span, Span, number, number]>([
  ['opened about a minute later', [0, 1_000, 2e6, 2e6], [60_000, 61_000, 3e6, 3e6], 57_000, 63_000],
  ['opened a second later', [0, 1_000, 2e6, 2e6], [2_000, 3_000, 3e6, 3e6], 0, 5_000],
  ['opened a second before', [2_000, 3_000, 2e6, 2e6], [0, 1_000, 3e6, 3e6], -5_000, 0],
  ['opened at about the same time', [0, 1_000, 2e6, 2e6], [500, 1_500, 3e6, 3e6], -2_500, 3_500],
  ['opened about a minute before', [60_000, 61_000, 2e6, 2e6], [0, 1_000, 3e6, 3e6], -63_000, -57_000],
  ['ended ten minutes later', [0, 0, 1_000, 2_000], [1e5, 1e5, 600_000, 601_000], 596_000, 602_000],
])(
  'a session that %s has its record in that time, and at no other time',
  (_name, known, other, leastMs, mostMs) => {
    for (const ms of [leastMs, mostMs]) expect(isOthers(known, other, ms)).toBe(true);
    for (const ms of [leastMs - 1, mostMs + 1]) expect(isOthers(known, other, ms)).toBe(false);
  },
);

test.each<readonly [string, KnownCall, boolean]>([
  ['a job with a price', aCall('a', { ...open, bounds: { least: micros(9), most: micros(9) } }), true],
  ['a job without a known price', aCall('a', open), true],
  ['a session that was silent', aSession('a', [0, 0, 1, 1], { ...open, isRecorded: false }), true],
  [
    'a session whose meter shows nothing',
    aSession('a', [0, 0, 1, 1], { ...open, bounds: { least: micros(0), most: micros(9) } }),
    true,
  ],
  [
    'a session whose meter shows something',
    aSession('a', [0, 0, 1, 1], { ...open, bounds: { least: micros(1), most: micros(9) } }),
    false,
  ],
  ['a call with a charge', aCall('a'), false],
  ['a running call', aCall('a', { ...open, isUnderWay: true }), false],
])('%s that left no trace is released or not', (_name, call, isFreed) => {
  for (const ids of ['equal', 'different'] as const) {
    expect(judged({ calls: [call], ids }).absent).toEqual(isFreed ? [call] : []);
  }
});

test.each([
  [24, 24],
  [25, 0],
])('of %i equal calls with as many equal records, %i get their charge', (count, settled) => {
  const names = Array.from({ length: count }, (_, index) => `${index}`);
  const calls = names.map((name) => aCall(name, open));
  const records = names.map((name) => aRecord(`u${name}`));
  expect(judged({ calls, records, ids: 'different' }).inferred).toHaveLength(settled);
});

test('at most five records are suggested for a call, and none that belongs to another call', () => {
  const calls = [aCall('lost', { ...open, serviceId: null }), aCall('known')];
  const records = [1, 2, 3, 5, 6, 7, 8].map((cents) => aRecord(`u${cents}`, price(cents)));
  const verdicts = judged({ calls, records: [aRecord('srv_known'), ...records], ids: 'equal' });
  expect(verdicts.suggested.map(({ call, record }) => [call.subject, record.id])).toEqual(
    ['u1', 'u2', 'u3', 'u5', 'u6'].map((id) => ['lost', id]),
  );
  const decided = new Map([
    ['u1', null],
    ['u2', 'known'],
    ['u3', 'gone'],
  ]);
  const after = judged({ calls, records, ids: 'equal', decided });
  expect(after.suggested.map(({ record }) => record.id)).toEqual(['u5', 'u6', 'u7', 'u8']);
  expect([after.foreign.map(({ id }) => id), [...after.oursIds]]).toEqual([['u1'], ['u2']]);
});
