import { describe, expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import { BOUNDS } from '../../../media-api/usage-log.ts';
import { type AccountBench, useAccount } from './use-account.ts';

const HOUR_MS = 3_600_000;
const CENT = 10_000;

const UNCONFIRMED = { outcome: 'unknown', service_job_id: null, finished_at_ms: null } as const;

/** Creates settled jobs at the usual price, enough to learn the relation of ids. */
async function usualJobs(bench: AccountBench, count = 3): Promise<void> {
  for (let index = 0; index < count; index++) await bench.job(`usual_${index}`);
}

describe.each([
  ['ids of usage records are those of jobs', true],
  ['ids of usage records are others', false],
])('where %s', (_name, hasEqualIds) => {
  test('books that agree stay unchanged', async () => {
    const bench = await useAccount({ hasEqualIds });
    await usualJobs(bench);
    const before = await bench.entries();
    const report = await bench.compare();
    expect(report).toMatchObject({ isComplete: true, difference: 0, drift: 0, undecided: 0 });
    expect(report.service).toEqual({ spent: 12 * CENT, balance: 2488 * CENT, toppedUp: 2500 * CENT });
    expect([await bench.entries(), bench.drifts]).toEqual([before, []]);
  });

  test('foreign use is booked once, beside the guilds, and reported as other use', async () => {
    const bench = await useAccount({ hasEqualIds });
    await usualJobs(bench);
    const guild = await bench.cents('guild');
    await bench.foreign(150);
    for (let pass = 0; pass < 3; pass++) {
      const report = await bench.compare();
      expect(report).toMatchObject({ difference: 0, drift: 0, books: { foreign: 150 * CENT } });
    }
    expect(await bench.cents('guild')).toEqual(guild);
    expect(await bench.cents('')).toMatchObject({ foreign: 150, spent: 0 });
    expect(bench.drifts).toHaveLength(1);
    // Foreign use is reported again only after another increase of more than a dollar.
    await bench.foreign(60);
    await bench.compare();
    expect(bench.drifts).toHaveLength(1);
    await bench.foreign(60);
    await bench.compare();
    expect(bench.drifts.map(({ books }) => books.foreign)).toEqual([150 * CENT, 270 * CENT]);
    expect(bench.quiets).toBe(0);
    await bench.clock.advance(25 * HOUR_MS);
    await bench.compare();
    await bench.compare();
    expect([bench.drifts.length, bench.quiets]).toEqual([2, 1]);
  });

  test('an open hold whose job has ended is settled by the job itself', async () => {
    const bench = await useAccount({ hasEqualIds });
    await usualJobs(bench);
    const subject = await bench.job('left', { books: 'review', cents: 7 });
    await bench.clock.advance(HOUR_MS);
    expect(await bench.compare()).toMatchObject({ difference: 0, inReview: 0 });
    expect(await bench.hold(subject)).toMatchObject({ state: 'posted', charged_micros: 7 * CENT });
  });

  test('an open hold whose job the service has deleted is settled by its usage record', async () => {
    const bench = await useAccount({ hasEqualIds });
    await usualJobs(bench);
    await bench.clock.advance(HOUR_MS);
    const subject = await bench.job('left', { books: 'review', cents: 7, row: { outcome: 'unknown' } });
    bench.jobs.clear();
    await bench.clock.advance(HOUR_MS);
    expect(await bench.compare()).toMatchObject({ difference: 0, inReview: 0 });
    expect(await bench.hold(subject)).toMatchObject({ state: 'posted', charged_micros: 7 * CENT });
    const row = await bench.database.kysely
      .selectFrom('jobs')
      .select('charged_micros')
      .where('id', '=', subject)
      .executeTakeFirst();
    expect(row?.charged_micros).toBe(7 * CENT);
  });

  test('a submit that was never confirmed gets no record automatically: the only possible one is suggested', async () => {
    const bench = await useAccount({ hasEqualIds });
    await usualJobs(bench, 4);
    await bench.clock.advance(HOUR_MS);
    const subject = await bench.job('lost', { books: 'review', cents: 7, row: UNCONFIRMED });
    await bench.clock.advance(2 * HOUR_MS);
    for (let pass = 0; pass < 2; pass++) {
      const report = await bench.compare();
      expect(report.books.foreign).toBe(0);
      expect(report.inReview).toBe(1);
    }
    expect(await bench.hold(subject)).toMatchObject({ state: 'review', charged_micros: 0 });
    expect(await bench.suggestions()).toEqual([[subject, hasEqualIds ? 'srv_lost' : expect.any(String), 7]]);
  });

  test('a record that looks like a submit that was never made does not belong to the guild', async () => {
    const bench = await useAccount({ hasEqualIds });
    await usualJobs(bench, 4);
    await bench.clock.advance(HOUR_MS);
    const subject = await bench.job('never', { books: 'review', cents: null, row: UNCONFIRMED });
    await bench.foreign(4, { feature: 'photo_swap', endpoint: 'face-swap-image' });
    await bench.clock.advance(6 * HOUR_MS);
    for (let pass = 0; pass < 3; pass++) await bench.compare();
    expect(await bench.hold(subject)).toMatchObject({ state: 'review', charged_micros: 0 });
  });

  test('an expensive record hours after an unconfirmed submit belongs to another user, and the hold is released', async () => {
    const bench = await useAccount({ hasEqualIds });
    await usualJobs(bench, 4);
    await bench.clock.advance(HOUR_MS);
    const subject = await bench.job('never', { books: 'review', cents: null, row: UNCONFIRMED });
    await bench.clock.advance(4.5 * HOUR_MS);
    await bench.foreign(4_000, { feature: 'photo_swap', endpoint: 'face-swap-image' });
    await bench.clock.advance(HOUR_MS);
    expect(await bench.compare()).toMatchObject({ difference: 0, books: { foreign: 4_000 * CENT } });
    expect(await bench.hold(subject)).toMatchObject({ state: 'voided', charged_micros: 0 });
    expect(await bench.suggestions()).toEqual([]);
  });

  test.each([
    ['much cheaper', 2, 2],
    ['more expensive than the quote', 11, 2],
    ['ten minutes earlier', 7, -10],
    ['ten minutes later', 7, 15],
  ])('a record %s belongs to another user, not to an unconfirmed submit', async (_name, cents, minutes) => {
    const bench = await useAccount({ hasEqualIds });
    await usualJobs(bench, 4);
    await bench.clock.advance(HOUR_MS);
    const submittedAtMs = bench.clock.now();
    const subject = await bench.job('lost', {
      books: 'review',
      cents: null,
      quotedCents: 7,
      row: UNCONFIRMED,
    });
    await bench.foreign(cents, {
      feature: 'photo_swap',
      endpoint: 'face-swap-image',
      created_at: new Date(submittedAtMs + minutes * 60_000).toISOString(),
    });
    await bench.clock.advance(2 * HOUR_MS);
    expect(await bench.compare()).toMatchObject({ difference: 0, books: { foreign: cents * CENT } });
    expect((await bench.hold(subject)).state).toBe('voided');
  });

  test('a submit that was never confirmed and has no record is freed after a while', async () => {
    const bench = await useAccount({ hasEqualIds });
    await usualJobs(bench);
    await bench.clock.advance(HOUR_MS);
    const subject = await bench.job('never', { books: 'review', cents: null, row: UNCONFIRMED });
    await bench.clock.advance(HOUR_MS);
    expect(await bench.compare()).toMatchObject({ inReview: 1 });
    // While the log has gaps, the hold is never released.
    await bench.clock.advance(8 * HOUR_MS);
    bench.log = { ...bench.log, keptMax: 2 };
    expect(await bench.compare()).toMatchObject({ inReview: 1, isComplete: false });
    bench.log = { read: BOUNDS.iso };
    expect(await bench.compare()).toMatchObject({ inReview: 0, difference: 0 });
    expect(await bench.hold(subject)).toMatchObject({ state: 'voided', charged_micros: 0 });
    const settled = bench.logged.length;
    await bench.compare();
    expect(bench.logged.slice(settled).filter((line) => line.includes('settled'))).toEqual([]);
  });

  test('a record that appears after its hold was freed is suggested, and not booked as foreign', async () => {
    const bench = await useAccount({ hasEqualIds });
    await usualJobs(bench, 4);
    await bench.clock.advance(HOUR_MS);
    const subject = await bench.job('late', { books: 'review', cents: 7, row: UNCONFIRMED });
    const [late] = bench.records.splice(-1);
    await bench.clock.advance(8 * HOUR_MS);
    await bench.compare();
    expect((await bench.hold(subject)).state).toBe('voided');
    if (late) bench.records.push(late);
    for (let pass = 0; pass < 3; pass++) {
      expect(await bench.compare()).toMatchObject({ difference: 7 * CENT });
    }
    expect(await bench.hold(subject)).toMatchObject({ state: 'voided', charged_micros: 0 });
    expect(await bench.suggestions()).toEqual([[subject, hasEqualIds ? 'srv_late' : expect.any(String), 7]]);
    expect(await bench.cents('')).toMatchObject({ foreign: 0 });
    expect(await bench.differences()).toEqual([]);
  });

  test('a record that may belong to a running submit is not assigned until this is known', async () => {
    const bench = await useAccount({ hasEqualIds });
    await usualJobs(bench);
    await bench.clock.advance(HOUR_MS);
    const row = { stage: 'submitting', outcome: null, service_job_id: null, finished_at_ms: null } as const;
    const subject = await bench.job('under_way', { books: 'pending', cents: 7, row });
    const report = await bench.compare();
    expect(report).toMatchObject({ difference: 7 * CENT, drift: 0, undecided: 1, books: { foreign: 0 } });
    expect(await bench.hold(subject)).toMatchObject({ state: 'pending' });
  });

  test('guilds with similar jobs are not mixed up', async () => {
    const bench = await useAccount({ hasEqualIds });
    await usualJobs(bench);
    await bench.job('a', { guildId: 'a', cents: 5, books: 'review' });
    await bench.job('b', { guildId: 'b', cents: 9, books: 'review' });
    await bench.foreign(5, { feature: 'photo_swap', endpoint: 'face-swap-image' });
    bench.jobs.clear();
    await bench.clock.advance(HOUR_MS);
    const report = await bench.compare();
    const [a, b] = [await bench.cents('a'), await bench.cents('b')];
    // Each guild pays either for its own calls or for nothing. The sum is exact only if ids can be used.
    expect([0, 5]).toContain(a.spent);
    expect([0, 9]).toContain(b.spent);
    expect(a.spent + b.spent + report.books.foreign / CENT).toBe(hasEqualIds ? 19 : a.spent + b.spent);
  });
});

test('a hold without a job, and one of a job that never ends, go to review and never expire', async () => {
  const bench = await useAccount();
  const row = { stage: 'submitted', outcome: null, finished_at_ms: null, settled_at_ms: null } as const;
  const stuck = await bench.job('stuck', { books: 'pending', cents: null, row });
  const request = { guildId: 'guild', userId: 'u', roleIds: [], capability: 'avatar', rateCard: '{}' };
  await bench.database.transaction('guild:guild', (trx) =>
    bench.ledger.hold(trx, { ...request, subject: 'nobody', amount: micros(CENT) }),
  );
  await bench.clock.advance(HOUR_MS);
  expect(await bench.compare()).toMatchObject({ inReview: 1 });
  expect((await bench.hold('nobody')).state).toBe('review');
  expect((await bench.hold(stuck)).state).toBe('pending');
  await bench.clock.advance(80 * HOUR_MS);
  expect(await bench.compare()).toMatchObject({ inReview: 2 });
  await bench.clock.advance(1_000 * HOUR_MS);
  expect(await bench.compare()).toMatchObject({ inReview: 2, books: { pending: 11 * CENT } });
});

test('a job whose price changes later is corrected by an entry that names the corrected entry', async () => {
  const bench = await useAccount();
  await usualJobs(bench, 5);
  bench.reprice(1, 3, { job: 'usual_1' });
  expect(await bench.compare()).toMatchObject({ difference: 0, drift: 0 });
  expect(await bench.cents('guild')).toMatchObject({ spent: 19 });
  const corrections = await bench.database.kysely
    .selectFrom('ledger_entries')
    .selectAll()
    .where('kind', '=', 'adjustment')
    .execute();
  expect(corrections).toMatchObject([{ subject: 'job_usual_1', amount_micros: CENT }]);
  expect(corrections[0]?.corrects).toBeGreaterThan(0);
});

test('a log that differs from the job is believed if it stays the same, and drift shows the difference until then', async () => {
  const bench = await useAccount();
  await usualJobs(bench, 5);
  bench.reprice(1, 3);
  expect(await bench.compare()).toMatchObject({ difference: -CENT, drift: -CENT });
  bench.reprice(1, 4);
  expect(await bench.compare()).toMatchObject({ difference: 0 });
  bench.reprice(1, 3);
  await bench.compare();
  expect(await bench.cents('guild')).toMatchObject({ spent: 20 });
  expect(await bench.compare()).toMatchObject({ difference: 0 });
  expect(await bench.cents('guild')).toMatchObject({ spent: 19 });
});

test('a record without a price corrects nothing', async () => {
  const bench = await useAccount();
  await usualJobs(bench, 5);
  bench.reprice(1, 0);
  for (let pass = 0; pass < 3; pass++) await bench.compare();
  expect(await bench.cents('guild')).toMatchObject({ spent: 20 });
});

test('foreign use that turns out to belong to the bot is reversed by a linked entry', async () => {
  const bench = await useAccount();
  await usualJobs(bench);
  await bench.compare();
  await bench.foreign(4, { id: 'srv_late', feature: 'photo_swap', endpoint: 'face-swap-image' });
  expect(await bench.compare()).toMatchObject({ books: { foreign: 4 * CENT } });
  await bench.job('late', { cents: null, bookedCents: 4 });
  expect(await bench.compare()).toMatchObject({ difference: 0, books: { foreign: 0, spent: 16 * CENT } });
  const entries = await bench.database.kysely
    .selectFrom('ledger_entries')
    .selectAll()
    .where('subject', '=', 'usage:srv_late')
    .orderBy('id')
    .execute();
  expect(entries).toMatchObject([
    { kind: 'foreign', guild_id: '', credit_account: 'service', debit_account: 'unattributed' },
    {
      kind: 'adjustment',
      credit_account: 'unattributed',
      debit_account: 'service',
      corrects: entries[0]?.id,
    },
  ]);
});

test('the amount spent before the bot arrived belongs to nobody and is no drift', async () => {
  const bench = await useAccount({ isNew: false });
  bench.earlierCents = 700;
  await bench.foreign(30);
  expect(await bench.compare()).toMatchObject({ spentEarlier: 730 * CENT, drift: 0, books: { foreign: 0 } });
  await usualJobs(bench);
  await bench.foreign(20);
  expect(await bench.compare()).toMatchObject({ difference: 0, books: { foreign: 20 * CENT } });
});

test('the first comparison of older books covers all of their time', async () => {
  const bench = await useAccount({ isNew: false });
  bench.earlierCents = 700;
  await usualJobs(bench);
  await bench.foreign(20);
  expect(await bench.compare()).toMatchObject({
    spentEarlier: 700 * CENT,
    difference: 0,
    books: { spent: 12 * CENT, foreign: 20 * CENT },
  });
});

test('drift that no single call explains is shown, and reported above the threshold', async () => {
  const bench = await useAccount();
  await usualJobs(bench);
  bench.earlierCents = 90;
  expect(await bench.compare()).toMatchObject({ drift: 90 * CENT, books: { foreign: 0 } });
  expect(bench.drifts).toEqual([]);
  bench.earlierCents = 190;
  expect(await bench.compare()).toMatchObject({ drift: 190 * CENT });
  expect(bench.drifts).toHaveLength(1);
});

test('the total of 700 calls is right, and a log of 500 that ignores bounds neither charges nor frees any guild', async () => {
  const bench = await useAccount();
  bench.log = { read: null };
  await usualJobs(bench);
  await bench.compare();
  for (let index = 0; index < 700; index++) await bench.foreign(1);
  const subject = await bench.job('never', { books: 'review', cents: null, row: UNCONFIRMED });
  await bench.clock.advance(9 * HOUR_MS);
  const report = await bench.compare();
  expect(report).toMatchObject({ isComplete: false, inReview: 1, service: { spent: 712 * CENT } });
  expect((await bench.hold(subject)).state).toBe('review');
  expect(report.books.foreign + report.difference).toBe(700 * CENT);
  // Once the log is complete, everything else is known as well.
  bench.log = { read: BOUNDS.seconds };
  expect(await bench.compare()).toMatchObject({
    isComplete: true,
    books: { foreign: 700 * CENT },
    difference: 0,
  });
  expect((await bench.hold(subject)).state).toBe('voided');
});

test('an incomplete log does not advance the mark: missing records are found when the log is complete', async () => {
  const bench = await useAccount();
  await usualJobs(bench);
  await bench.compare();
  await bench.foreign(30);
  // The log omits the record for longer than the period for which decided records are checked again.
  bench.log = { ...bench.log, shuffle: (page) => page.filter(({ id }) => !id.startsWith('other')) };
  for (let hours = 0; hours < 60; hours += 20) {
    expect(await bench.compare()).toMatchObject({ isComplete: false, books: { foreign: 0 } });
    await bench.clock.advance(20 * HOUR_MS);
  }
  bench.log = { read: BOUNDS.iso };
  expect(await bench.compare()).toMatchObject({
    isComplete: true,
    difference: 0,
    books: { foreign: 30 * CENT },
  });
});

test('a failed job with a charge is reported once', async () => {
  const bench = await useAccount();
  await bench.job('odd', { status: 'failed', cents: 6 });
  await bench.job('fine', { status: 'failed', cents: 0 });
  await bench.compare();
  await bench.compare();
  expect(bench.failures).toEqual([
    { jobId: 'job_odd', guildId: 'guild', capability: 'photo_swap', charged: 6 * CENT },
  ]);
});

test('a failed comparison changes nothing and is repeated soon', async () => {
  const bench = await useAccount();
  await usualJobs(bench);
  const reconciliation = bench.reconciliation({}, 'http://127.0.0.1:9/api/v1');
  expect(await reconciliation.run()).toBeUndefined();
  const entries = await bench.entries();
  expect(await bench.compare()).toMatchObject({ difference: 0 });
  expect(await bench.entries()).toBe(entries);
});
