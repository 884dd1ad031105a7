import { expect, test } from 'vitest';
import { insertJob } from '../../../../db/queries/jobs.ts';
import { insertSession } from '../../../../db/queries/sessions.ts';
import type { NewJob } from '../../../../db/schema/jobs.ts';
import type { NewSession } from '../../../../db/schema/sessions.ts';
import { micros } from '../../../../src/base/money.ts';
import type { IdRelation } from '../../../../src/bot/money/reconciliation/id-relation.ts';
import type { KnownCall } from '../../../../src/bot/money/reconciliation/known-call.ts';
import { loadCalls } from '../../../../src/bot/money/reconciliation/load-calls.ts';
import { aJob } from '../../../db/a-job.ts';
import { aSession } from '../../../db/a-session.ts';
import { aHold } from '../ledger/a-hold.ts';
import { type AccountBench, aQuote, useAccount } from './use-account.ts';

const SKEW_MS = 300_000;
const HOUR_MS = 3_600_000;
/** A time that is far from all calls. */
const FAR = { fromMs: 1e12, toMs: 1e12 };
const MS = 1e9;

type Ending = 'open' | 'review' | 'posted' | 'voided';

/** Inserts a hold of $0.10 with a quote of $0.08 and the given ending. */
async function held(bench: AccountBench, subject: string, ending: Ending): Promise<void> {
  const hold = { ...aHold(subject, micros(100_000)), guildId: 'guild_a' };
  const rateCard = aQuote({ price: 80_000, hold: 100_000 });
  await bench.database.transaction('guild:guild_a', async (trx) => {
    await bench.ledger.hold(trx, { ...hold, rateCard });
    if (ending === 'review') await bench.ledger.review(trx, { subject });
    if (ending === 'posted') await bench.ledger.post(trx, { subject, charged: micros(90_000) });
    if (ending === 'voided') await bench.ledger.void(trx, { subject });
  });
}

async function job(
  bench: AccountBench,
  ending: Ending,
  changes: Partial<NewJob>,
  name = 'one',
): Promise<void> {
  await held(bench, `job_${name}`, ending);
  const row = aJob(name, {
    guild_id: 'guild_a',
    capability: 'lip_sync',
    stage: 'settled',
    outcome: 'succeeded',
    service_job_id: `srv_${name}`,
    accepted_at_ms: MS,
    submit_from_ms: MS + 1,
    submit_to_ms: MS + 2,
    submitted_at_ms: MS + 3,
    finished_at_ms: MS + 4,
    settled_at_ms: MS + 5,
    charged_micros: micros(70_000),
    ...changes,
  });
  await bench.database.transaction('guild:guild_a', (trx) => insertJob(trx, row));
}

async function sought(bench: AccountBench, subjects: readonly string[]): Promise<readonly KnownCall[]> {
  const { kysely } = bench.database;
  return (await loadCalls(kysely, FAR, { recordIds: [], subjects, ids: 'equal' })).calls;
}

const SETTLED: KnownCall = {
  subject: 'job_one',
  guildId: 'guild_a',
  serviceId: 'srv_one',
  feature: 'lip_sync',
  fromMs: MS + 1 - SKEW_MS,
  toMs: MS + 4 + SKEW_MS,
  charged: micros(90_000),
  isUnderWay: false,
  // A lip sync may be shorter than its priced length, but costs at most a quarter more than its quote.
  bounds: { least: micros(1), most: micros(100_000) },
  quoted: micros(100_000),
};
const OPEN = { ...SETTLED, charged: null };
const UNKNOWN = { outcome: 'unknown', charged_micros: null } as const;

test.each<readonly [string, Ending, Partial<NewJob>, KnownCall]>([
  ['settled', 'posted', {}, SETTLED],
  ['settled with an open hold', 'open', UNKNOWN, OPEN],
  ['settled with a hold in review', 'review', UNKNOWN, OPEN],
  ['voided because it cost nothing', 'voided', { outcome: 'failed' }, { ...SETTLED, charged: micros(0) }],
  ['released because it left no trace', 'voided', UNKNOWN, OPEN],
  ['found to have cost something', 'posted', UNKNOWN, SETTLED],
  ['abandoned', 'voided', { stage: 'abandoned', outcome: null }, { ...SETTLED, charged: micros(0) }],
  ['never tried to be submitted', 'open', { submit_from_ms: null }, { ...OPEN, fromMs: MS - SKEW_MS }],
  ['not seen to end', 'open', { finished_at_ms: null }, { ...OPEN, toMs: MS + 5 + SKEW_MS }],
  [
    'not seen to end or to be settled',
    'open',
    { stage: 'abandoned', outcome: null, finished_at_ms: null, settled_at_ms: null },
    { ...OPEN, toMs: MS + SKEW_MS },
  ],
  [
    'never confirmed',
    'open',
    { ...UNKNOWN, service_job_id: null },
    { ...OPEN, serviceId: null, toMs: MS + 2 + SKEW_MS },
  ],
  ['under way', 'open', { stage: 'submitted', outcome: null }, { ...OPEN, isUnderWay: true, toMs: Infinity }],
])('a job that was %s is loaded as such a call', async (_name, ending, row, call) => {
  const bench = await useAccount({ isNew: false });
  await job(bench, ending, row);
  expect(await sought(bench, ['job_one'])).toEqual([call]);
});

const SPAN = { openedFromMs: MS, openedByMs: MS + 2, endedFromMs: MS + 90_000, endedByMs: MS + 90_000 };
const SESSION: KnownCall = {
  subject: 's',
  guildId: 'guild_a',
  serviceId: 'ses_s',
  feature: 'live_swap_pro',
  fromMs: MS - SKEW_MS,
  toMs: MS + 90_000 + SKEW_MS,
  charged: micros(90_000),
  isUnderWay: false,
  // The bot's meter shows one minute, which costs 6 cents, and the service's meter may differ by five seconds.
  bounds: { least: micros(55_000), most: micros(65_000) },
  quoted: micros(605_000),
  isRecorded: true,
  span: SPAN,
};
const RUNS = { ended_at_ms: null, end_reason: null, state: 'open' } as const;

test.each<readonly [string, Ending, Partial<NewSession>, Partial<KnownCall>]>([
  ['has ended', 'posted', {}, {}],
  ['has an open hold', 'open', {}, { charged: null }],
  ['has a hold in review', 'review', {}, { charged: null }],
  ['was voided', 'voided', {}, { charged: micros(0) }],
  [
    'said nothing',
    'posted',
    { metered_ms: 0 },
    { isRecorded: false, bounds: { least: micros(0), most: micros(5_000) } },
  ],
  ['never connected', 'posted', { connected_at_ms: null }, { span: { ...SPAN, openedByMs: MS + 90_000 } }],
  [
    'crashed',
    'posted',
    { end_reason: 'crashed' },
    {
      bounds: { least: micros(55_000), most: micros(600_000) },
      span: { ...SPAN, endedFromMs: MS + 2 + 60_000 },
    },
  ],
  [
    'crashed before it connected',
    'posted',
    { end_reason: 'crashed', connected_at_ms: null },
    {
      bounds: { least: micros(55_000), most: micros(600_000) },
      span: { ...SPAN, openedByMs: MS + 90_000, endedFromMs: MS + 60_000 },
    },
  ],
  [
    'is open',
    'open',
    RUNS,
    {
      charged: null,
      isUnderWay: true,
      toMs: Infinity,
      bounds: { least: micros(55_000), most: micros(600_000) },
      span: { ...SPAN, endedFromMs: MS + 2 + 60_000, endedByMs: Infinity },
    },
  ],
  [
    'is being opened',
    'open',
    { ...RUNS, state: 'opening', connected_at_ms: null, metered_ms: 0 },
    {
      charged: null,
      isUnderWay: true,
      isRecorded: false,
      toMs: Infinity,
      bounds: { least: micros(0), most: micros(600_000) },
      span: { openedFromMs: MS, openedByMs: Infinity, endedFromMs: MS, endedByMs: Infinity },
    },
  ],
  ['was granted no time', 'posted', { granted_seconds: null }, { bounds: undefined, quoted: undefined }],
  ['has no price', 'posted', { max_cost_micros: null }, { bounds: undefined, quoted: undefined }],
])('a session that %s is loaded as such a call', async (_name, ending, row, changes) => {
  const bench = await useAccount({ isNew: false });
  await held(bench, 's', ending);
  const session = aSession('s', {
    guild_id: 'guild_a',
    capability: 'live_swap_pro',
    opened_at_ms: MS,
    connected_at_ms: MS + 2,
    ended_at_ms: MS + 90_000,
    ...row,
  });
  await bench.database.transaction('guild:guild_a', (trx) => insertSession(trx, session));
  expect(await sought(bench, ['s'])).toEqual([{ ...SESSION, ...changes }]);
});

test('a session that is not at the service is no call', async () => {
  const bench = await useAccount({ isNew: false });
  await held(bench, 's', 'open');
  const session = aSession('s', { service_session_id: null });
  await bench.database.transaction('guild:guild_a', (trx) => insertSession(trx, session));
  expect(await sought(bench, ['s'])).toEqual([]);
});

/**
 * A window of one day, and acceptance times just inside and just outside the range that counts. The range begins before
 * the window, because a job may run for a day and an hour.
 */
const WINDOW = { fromMs: MS, toMs: MS + 24 * HOUR_MS };
const EDGES = [-25 * HOUR_MS - 1, -25 * HOUR_MS, 24 * HOUR_MS + SKEW_MS - 1, 24 * HOUR_MS + SKEW_MS];

/** Loads the calls for the window, and returns their subjects. */
async function near(bench: AccountBench, ids: IdRelation, recordIds: readonly string[] = []) {
  const { calls, complete } = await loadCalls(bench.database.kysely, WINDOW, {
    recordIds,
    subjects: [],
    ids,
  });
  expect(complete).toBe(true);
  return calls.map(({ subject }) => subject).toSorted();
}

test('the calls of a window are those that can have a record in it, and those whose ids the log names', async () => {
  const bench = await useAccount({ isNew: false });
  for (const [index, atMs] of EDGES.entries()) {
    const accepted = { accepted_at_ms: MS + atMs };
    await job(bench, 'posted', accepted, `at${index}`);
    await held(bench, `live${index}`, 'posted');
    const session = aSession(`live${index}`, { opened_at_ms: MS + atMs });
    await bench.database.transaction('guild:guild_a', (trx) => insertSession(trx, session));
  }
  const inside = { accepted_at_ms: MS };
  await job(bench, 'open', { ...inside, ...UNKNOWN, service_job_id: null }, 'lost');
  const submitting = { stage: 'submitting', outcome: null, service_job_id: null } as const;
  await job(bench, 'open', { ...inside, ...submitting }, 'submitting');
  await job(bench, 'open', { ...inside, ...submitting, stage: 'accepted' }, 'new');
  await job(bench, 'voided', { ...inside, outcome: 'failed', service_job_id: null }, 'refused');
  const unconfirmed = ['job_lost', 'job_submitting'];
  const known = ['job_at1', 'job_at2', 'live1', 'live2'];
  expect(await near(bench, 'different')).toEqual([...known, ...unconfirmed].toSorted());
  expect(await near(bench, 'unproven')).toEqual([...known, ...unconfirmed].toSorted());
  expect(await near(bench, 'equal')).toEqual(unconfirmed);
  const named = ['srv_at0', 'srv_at1', 'ses_live3', 'ses_live2', 'x'];
  const found = ['job_at0', 'job_at1', 'live2', 'live3', ...unconfirmed];
  expect(await near(bench, 'equal', named)).toEqual(found.toSorted());
});

test('however many ids are sought, all their calls are loaded', async () => {
  const bench = await useAccount({ isNew: false });
  await job(bench, 'posted', {});
  await job(bench, 'posted', {}, 'two');
  const others = Array.from({ length: 850 }, (_, index) => `other_${index}`);
  const recordIds = ['srv_one', ...others];
  const subjects = [...others, 'job_two'];
  const { calls } = await loadCalls(bench.database.kysely, FAR, { recordIds, subjects, ids: 'equal' });
  expect(calls.map(({ subject }) => subject)).toEqual(['job_one', 'job_two']);
});
