import { expect, test } from 'vitest';
import type { UsageHabits } from '../../src/media-api/usage-dialects.ts';
import { type CollectedUsage, UsageReader } from '../../src/media-api/usage-reader.ts';
import type { WireUsageRecord } from '../../src/media-api/wire.ts';
import { BOUNDS, type UsageLogOptions, usageLog } from './usage-log.ts';
import { type StubApi, useClient, useStubApi } from './use-stub-api.ts';

const START_MS = Date.UTC(2026, 4, 1);
const HOUR_MS = 3_600_000;
const DIALECTS = ['iso', 'seconds', 'milliseconds', 'date'] as const;

/** Returns `count` records at the times that `at` returns, in milliseconds from the start. */
function log(count: number, at: (index: number) => number): readonly WireUsageRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `u${index}`,
    endpoint: 'face-swap-image',
    feature: 'photo_swap',
    status: 'succeeded',
    charged_usd: 0.05,
    reason: index % 2 === 0 ? null : 'cancelled',
    created_at: new Date(START_MS + at(index)).toISOString(),
  }));
}

/** Returns the time of a record; most of the times are within one busy hour. */
const crowded = (index: number): number => (index % 10 === 0 ? index * HOUR_MS : index * 97);
const WIDE = { fromMs: START_MS + 1000, toMs: START_MS + 300 * HOUR_MS };

function idsWithin(records: readonly WireUsageRecord[], { fromMs, toMs }: typeof WIDE): readonly string[] {
  return records
    .filter(({ created_at }) => Date.parse(created_at) >= fromMs && Date.parse(created_at) < toMs)
    .map(({ id }) => id)
    .toSorted();
}

const idsOf = ({ records }: CollectedUsage): readonly string[] => records.map(({ id }) => id).toSorted();

async function useReader(
  records: readonly WireUsageRecord[],
  options: UsageLogOptions,
  habits?: UsageHabits,
): Promise<{ reader: UsageReader; stub: StubApi }> {
  const stub = await useStubApi(usageLog(records, options));
  return { stub, reader: new UsageReader(useClient(stub).account, habits) };
}

test.each(DIALECTS)(
  'all of 2,300 records, most in one hour, are found if the service expects its bounds as %s, or the gap is reported',
  async (dialect) => {
    const records = log(2300, crowded);
    const { reader } = await useReader(records, { read: BOUNDS[dialect] });
    const collected = await reader.collect(WIDE);
    // Two thousand records of one day do not fit on a page, and dates cannot separate them, so the gap must
    // be reported.
    expect(collected.complete).toBe(dialect !== 'date');
    if (collected.complete) expect(idsOf(collected)).toEqual(idsWithin(records, WIDE));
  },
);

test.each(DIALECTS)('pages in any order, with doubled records, are read completely (%s)', async (dialect) => {
  const records = log(1500, (index) => index * 600_000);
  const shuffle: UsageLogOptions['shuffle'] = (page) => [...page.slice(3), ...page.slice(0, 3)].toReversed();
  const { reader } = await useReader(records, { read: BOUNDS[dialect], shuffle });
  const collected = await reader.collect(WIDE);
  expect([collected.complete, idsOf(collected)]).toEqual([true, idsWithin(records, WIDE)]);
});

test('an ignored filter is noticed within a few requests, and missing records are reported', async () => {
  const { reader, stub } = await useReader(log(600, crowded), { read: null });
  const { complete, records } = await reader.collect(WIDE);
  expect([complete, reader.habits]).toEqual([false, undefined]);
  // Although records are missing, those of the newest page are returned.
  expect(records.length).toBeGreaterThan(0);
  expect(stub.arrivals()).toBeLessThan(12);
});

test('an ignored filter is noticed even when every known record is in the window', async () => {
  const { reader } = await useReader(
    log(600, (index) => index * 1000),
    { read: null },
  );
  const { complete } = await reader.collect({ fromMs: START_MS, toMs: START_MS + HOUR_MS });
  expect([complete, reader.habits]).toEqual([false, undefined]);
});

test('an ignored filter is noticed when all records have the same time', async () => {
  const { reader } = await useReader(
    log(600, () => 0),
    { read: null },
  );
  const { complete } = await reader.collect({ fromMs: START_MS - 1000, toMs: START_MS + 1000 });
  expect([complete, reader.habits]).toEqual([false, undefined]);
});

test.each(['from', 'to'])(
  'a service that only understands %s is not assumed to understand',
  async (known) => {
    const records = log(1500, (index) => index * 60_000);
    const other = known === 'from' ? 'to' : 'from';
    const reply = usageLog(records, { read: BOUNDS.iso });
    const stub = await useStubApi((request, response, read) => {
      const url = new URL(request.url ?? '', 'http://x');
      url.searchParams.delete(other);
      request.url = `${url.pathname}${url.search}`;
      return reply(request, response, read);
    });
    const reader = new UsageReader(useClient(stub).account);
    const window = { fromMs: START_MS + 2 * HOUR_MS, toMs: START_MS + 4 * HOUR_MS };
    const collected = await reader.collect(window);
    if (collected.complete) expect(idsOf(collected)).toEqual(idsWithin(records, window));
    else expect(reader.habits).toBeUndefined();
  },
);

test('an empty window of a long log is known to be empty', async () => {
  const { reader } = await useReader(
    log(600, (index) => index * 1000),
    { read: BOUNDS.seconds },
  );
  const quiet = { fromMs: START_MS + 100 * HOUR_MS, toMs: START_MS + 101 * HOUR_MS };
  expect(await reader.collect(quiet)).toMatchObject({ complete: true, records: [] });
});

test('a log that fits into one page needs no filter, and each record is returned once', async () => {
  const records = log(400, (index) => index * 97);
  const { reader, stub } = await useReader(records, {
    read: () => NaN,
    shuffle: (page) => [...page, ...page.slice(0, 7)],
  });
  const window = { fromMs: START_MS, toMs: START_MS + 5000 };
  const collected = await reader.collect(window);
  expect([collected.complete, idsOf(collected)]).toEqual([true, idsWithin(records, window)]);
  expect(stub.arrivals()).toBe(2);
});

test('a log that keeps fewer records than there were calls is not considered complete', async () => {
  const { reader } = await useReader(
    log(700, (index) => index * 60_000),
    { read: BOUNDS.iso, keptMax: 300 },
  );
  const { complete, summary } = await reader.collect({ fromMs: START_MS, toMs: START_MS + 20 * HOUR_MS });
  // The total comes from the summary: the log contains less than half of it.
  expect([complete, summary.totalSpent]).toEqual([false, 35_000_000]);
});

test.each([true, false])(
  'a service with smaller pages is read completely (summary ignores bounds: %s)',
  async (summaryIgnoresBounds) => {
    const records = log(450, (index) => index * 60_000);
    const { reader } = await useReader(records, { read: BOUNDS.iso, pageMax: 100, summaryIgnoresBounds });
    const collected = await reader.collect(WIDE);
    expect([collected.complete, idsOf(collected)]).toEqual([true, idsWithin(records, WIDE)]);
    expect(reader.habits).toEqual({ dialect: 'iso', pageMax: 100 });
  },
);

test('records that even the smallest window cannot separate are reported as missing', async () => {
  const { reader } = await useReader(
    log(900, () => 0),
    { read: BOUNDS.iso },
  );
  const { records, complete } = await reader.collect({ fromMs: START_MS - 1000, toMs: START_MS + 1000 });
  expect([complete, records.length]).toEqual([false, 500]);
});

test('a discovered format is used again, also by the next reader', async () => {
  const records = log(1500, (index) => index * 60_000);
  const { reader, stub } = await useReader(records, { read: BOUNDS.seconds });
  const window = { fromMs: START_MS + 20 * HOUR_MS, toMs: START_MS + 22 * HOUR_MS };
  await reader.collect(window);
  const before = stub.arrivals();
  const next = new UsageReader(useClient(stub).account, reader.habits);
  const collected = await next.collect(window);
  expect([collected.complete, idsOf(collected)]).toEqual([true, idsWithin(records, window)]);
  expect(stub.arrivals() - before).toBe(3);
});

test('a discovered format that is no longer right is discovered again', async () => {
  const records = log(1500, (index) => index * 60_000);
  const wrong = { dialect: 'iso', pageMax: 500 };
  const { reader } = await useReader(records, { read: BOUNDS.milliseconds }, wrong);
  const collected = await reader.collect(WIDE);
  expect([collected.complete, idsOf(collected)]).toEqual([true, idsWithin(records, WIDE)]);
  expect(reader.habits?.dialect).toBe('milliseconds');
});

test('the ended one of two versions of a record counts', async () => {
  const [record] = log(1, () => 0);
  if (!record) throw new TypeError('There is no record');
  const running = { ...record, status: 'processing', charged_usd: 0 };
  const { reader } = await useReader([record], { read: BOUNDS.iso, shuffle: () => [record, running] });
  const { records } = await reader.collect({ fromMs: START_MS, toMs: START_MS + 1 });
  expect(records).toMatchObject([{ status: 'succeeded', charged: 50_000 }]);
});
