import { expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import type { UsageRecord } from '../../../../src/media-api/account.ts';
import type { IdRelation } from '../../../../src/bot/money/reconciliation/id-relation.ts';
import { judge } from '../../../../src/bot/money/reconciliation/judge.ts';
import type { KnownCall } from '../../../../src/bot/money/reconciliation/known-call.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const [FROM_MS, TO_MS] = [5_000 * MINUTE_MS, 5_005 * MINUTE_MS];
const NOW_MS = 9_000 * MINUTE_MS;

/**
 * The records that the log may contain near a call with a quote of $0.05, bounds of $0.03 to $0.06 and a booked price
 * of $0.04.
 */
const RECORDS: Readonly<Record<string, Partial<UsageRecord>>> = {
  equal: {},
  under: { charged: micros(29_999) },
  least: { charged: micros(30_000) },
  quote: { charged: micros(50_000) },
  above: { charged: micros(50_001) },
  most: { charged: micros(60_000) },
  over: { charged: micros(60_001) },
  failed: { charged: micros(0), status: 'failed' },
  unpriced: { charged: micros(0) },
  runs: { charged: micros(0), status: 'processing' },
  first: { createdAtMs: FROM_MS, charged: micros(45_000) },
  early: { createdAtMs: FROM_MS - 1, charged: micros(45_000) },
  last: { createdAtMs: TO_MS, charged: micros(45_000) },
  late: { createdAtMs: TO_MS + 1, charged: micros(45_000) },
  day: { createdAtMs: TO_MS + DAY_MS, charged: micros(45_000) },
  later: { createdAtMs: TO_MS + DAY_MS + 1, charged: micros(45_000) },
  kind: { feature: 'avatar', endpoint: 'avatar' },
};

const CALLS: Readonly<Record<string, Partial<KnownCall>>> = {
  open: { charged: null },
  lost: { charged: null, serviceId: null },
  booked: {},
  runs: { charged: null, isUnderWay: true, toMs: Infinity },
  submits: { charged: null, isUnderWay: true, toMs: Infinity, serviceId: null },
};

/** Returns what a comparison finds if there is only this call and this record. */
function outcome(row: string, record: Partial<UsageRecord>): string {
  const [call = '', id = '', ids = '', log = ''] = row.split(/ +/);
  const verdicts = judge({
    calls: [
      {
        subject: 'job',
        guildId: 'guild',
        serviceId: 'own',
        feature: 'photo_swap',
        fromMs: FROM_MS,
        toMs: TO_MS,
        charged: micros(40_000),
        isUnderWay: false,
        bounds: { least: micros(30_000), most: micros(60_000) },
        quoted: micros(50_000),
        ...CALLS[call],
      },
    ],
    records: [
      {
        id,
        endpoint: 'face-swap-image',
        feature: 'photo_swap',
        status: 'succeeded',
        charged: micros(40_000),
        reason: null,
        createdAtMs: FROM_MS + MINUTE_MS,
        ...record,
      },
    ],
    window: { fromMs: 0, toMs: NOW_MS },
    complete: log === 'whole',
    ids: ids as IdRelation,
    nowMs: NOW_MS,
  });
  const { settled, inferred, differing, suggested, absent, foreign, undecided, oursIds } = verdicts;
  const found = {
    settled,
    inferred,
    corrected: differing,
    ours: settled.length + inferred.length + differing.length > 0 ? [] : [...oursIds],
    foreign,
    suggested,
    undecided: suggested.length > 0 ? [] : undecided,
    freed: absent,
  };
  return Object.entries(found)
    .filter(([, some]) => some.length > 0)
    .map(([name]) => name)
    .join('+');
}

const ROWS = Object.keys(CALLS).flatMap((call) =>
  ['own', 'else'].flatMap((id) =>
    ['equal', 'unproven', 'different'].flatMap((ids) =>
      ['whole', 'gaps'].map((log) => [call, id, ids, log].join(' ')),
    ),
  ),
);

/** Returns a row's outcomes, each with the records that lead to it. */
function outcomesOf(row: string): readonly string[] {
  const names = Object.keys(RECORDS);
  const byOutcome = Map.groupBy(names, (name) => outcome(row, RECORDS[name] ?? {}));
  return Array.from(byOutcome, ([found, some]) => `${found}: ${some.join(' ')}`);
}

/**
 * Each row names the call, the record's id, the relation of ids and the log. The outcomes that consecutive rows share
 * follow below those rows.
 */
const TABLE = `
open own equal whole
  settled: equal under least quote above most failed first last
  suggested: over early late day
  ours: unpriced runs
  foreign+freed: later kind
open own equal gaps
  settled: equal under least quote above most failed first last
  suggested: over early late day
  ours: unpriced runs
  undecided: later kind
open own unproven whole
  inferred: equal least quote failed first last
  undecided: under over unpriced runs early late day
  ours+suggested: above most
  foreign+freed: later kind
open own unproven gaps
open own different gaps
open else unproven gaps
open else different gaps
lost own unproven gaps
lost own different gaps
lost else unproven gaps
lost else different gaps
  suggested: equal least quote above most failed first last
  undecided: under over unpriced runs early late day later kind
open own different whole
open else unproven whole
open else different whole
  inferred: equal least quote failed first last
  foreign+freed: under over early late day later kind
  ours+suggested: above most
  undecided: unpriced runs
open else equal whole
  foreign+freed: equal under least quote above most over failed first early last late day later kind
  undecided+freed: unpriced runs
open else equal gaps
booked else equal whole
booked else equal gaps
runs else equal whole
runs else equal gaps
  foreign: equal under least quote above most over failed first early last late day later kind
  undecided: unpriced runs
lost own equal whole
lost own unproven whole
lost own different whole
lost else equal whole
lost else unproven whole
lost else different whole
  suggested: equal least quote above most failed first last
  foreign+freed: under over early late day later kind
  undecided: unpriced runs
lost own equal gaps
lost else equal gaps
  suggested: equal least quote above most failed first last
  foreign: under over early late day later kind
  undecided: unpriced runs
booked own equal whole
  ours: equal unpriced runs
  corrected: under least quote above most failed first last
  undecided: over early late day
  foreign: later kind
booked own equal gaps
  ours: equal unpriced runs
  corrected: under least quote above most failed first last
  undecided: over early late day later kind
booked own unproven whole
  ours: equal
  undecided: under least quote above most over failed unpriced runs first early last late day
  foreign: later kind
booked own unproven gaps
booked own different gaps
booked else unproven gaps
booked else different gaps
runs own unproven gaps
runs own different gaps
runs else unproven gaps
runs else different gaps
submits own unproven gaps
submits own different gaps
submits else unproven gaps
submits else different gaps
  undecided: equal under least quote above most over failed unpriced runs first early last late day later kind
booked own different whole
booked else unproven whole
booked else different whole
  ours: equal
  foreign: under over early late day later kind
  undecided: least quote above most failed unpriced runs first last
runs own equal whole
  ours: equal under least quote above most failed unpriced runs first last late day later
  undecided: over early
  foreign: kind
runs own equal gaps
  ours: equal under least quote above most failed unpriced runs first last late day later
  undecided: over early kind
runs own unproven whole
  undecided: equal under least quote above most over failed unpriced runs first early last late day later
  foreign: kind
runs own different whole
runs else unproven whole
runs else different whole
submits own equal whole
submits own equal gaps
submits own unproven whole
submits own different whole
submits else equal whole
submits else equal gaps
submits else unproven whole
submits else different whole
  undecided: equal least quote above most failed unpriced runs first last late day later
  foreign: under over early kind
`;

test('a single call and a single record give the result in the table', () => {
  const found = Map.groupBy(ROWS, (row) => outcomesOf(row).join('\n  '));
  const text = Array.from(found, ([outcomes, rows]) => `${rows.join('\n')}\n  ${outcomes}`).join('\n');
  expect(`\n${text}\n`).toBe(TABLE);
});
