import { expect, test } from 'vitest';
import { UsageReader } from '../../src/media-api/usage-reader.ts';
import { type Reply, json, refuse, useClient, useStubApi } from './use-stub-api.ts';

const START_MS = Date.UTC(2026, 4, 1);
const HOUR_MS = 3_600_000;

interface Record {
  readonly id: string;
  readonly created_at: string;
}

/** `count` records, most of them in one crowded hour. */
function log(count: number): readonly Record[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `u${index}`,
    endpoint: 'face-swap-image',
    feature: 'photo_swap',
    status: 'succeeded',
    charged_usd: 0.05,
    reason: index % 2 === 0 ? null : 'cancelled',
    created_at: new Date(START_MS + (index % 10 === 0 ? index * HOUR_MS : index * 97)).toISOString(),
  }));
}

/** A service that filters in its own dialect, returns the newest first, and caps a page at 500. */
function usageReply(records: readonly Record[], read: ((text: string) => number) | null): Reply {
  return (request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams;
    const [from, to] = [query.get('from'), query.get('to')];
    const [fromMs, toMs] = [from, to].map((text) => (text === null || !read ? null : read(text)));
    if ([fromMs, toMs].some((ms) => ms !== null && Number.isNaN(ms))) {
      return refuse(400, 'invalid_input')(request, response, () => Promise.resolve());
    }
    const page = records
      .filter(({ created_at }) => Date.parse(created_at) >= (fromMs ?? -Infinity))
      .filter(({ created_at }) => Date.parse(created_at) < (toMs ?? Infinity))
      .toSorted((a, b) => b.created_at.localeCompare(a.created_at))
      .slice(0, Number(query.get('limit')));
    response.end(JSON.stringify(page));
    return undefined;
  };
}

const whole = (text: string): number => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN);

test('usage is one page with amounts in micro-dollars', async () => {
  const stub = await useStubApi(usageReply(log(3), null));
  const records = await useClient(stub).account.usage({ limit: 2 });
  expect(records).toHaveLength(2);
  expect(records.at(-1)).toMatchObject({
    feature: 'photo_swap',
    charged: 50_000,
    createdAtMs: START_MS + 97,
  });
});

test.each([0, 501, 1.5])('a page of %s records is refused here', async (limit) => {
  const stub = await useStubApi(json(200, []));
  await expect(useClient(stub).account.usage({ limit })).rejects.toThrow(RangeError);
});

test.each([
  ['ISO 8601', (text: string) => (text.includes('T') ? Date.parse(text) : NaN), true],
  ['seconds', (text: string) => whole(text) * 1000, true],
  ['milliseconds, everything else refused', (text: string) => (whole(text) > 1e11 ? whole(text) : NaN), true],
  ['dates', (text: string) => (/^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN), false],
] as const)(
  'a full log is read whole when the service wants its bounds as %s',
  async (_name, read, isFine) => {
    const records = log(2300);
    const stub = await useStubApi(usageReply(records, read));
    const window = { fromMs: START_MS + 1000, toMs: START_MS + 300 * HOUR_MS };
    const expected = records.filter(({ created_at }) => {
      const ms = Date.parse(created_at);
      return ms >= window.fromMs && ms < window.toMs;
    });
    const { records: found, complete } = await new UsageReader(useClient(stub).account).collect(window);
    // Two thousand records of one day do not fit into a page, and dates cannot part them: that must be said.
    expect(complete).toBe(isFine);
    if (isFine) expect(new Set(found.map(({ id }) => id))).toEqual(new Set(expected.map(({ id }) => id)));
  },
);

test('a filter that is ignored is noticed, and what is missing admitted', async () => {
  const stub = await useStubApi(usageReply(log(600), null));
  const window = { fromMs: START_MS, toMs: START_MS + 1000 };
  const { complete } = await new UsageReader(useClient(stub).account).collect(window);
  expect(complete).toBe(false);
});

test('a log that fits into one page needs no filter', async () => {
  const stub = await useStubApi(usageReply(log(400), () => NaN));
  const window = { fromMs: START_MS, toMs: START_MS + 5000 };
  const { records, complete } = await new UsageReader(useClient(stub).account).collect(window);
  expect([complete, records.length, stub.arrivals()]).toEqual([true, 47, 1]);
});

test('records that even the finest window cannot part are admitted to be missing', async () => {
  const crowded = log(900).map((record) => ({ ...record, created_at: new Date(START_MS).toISOString() }));
  const stub = await useStubApi(usageReply(crowded, (text) => Date.parse(text)));
  const window = { fromMs: START_MS - 1000, toMs: START_MS + 1000 };
  const { records, complete } = await new UsageReader(useClient(stub).account).collect(window);
  expect([complete, records.length]).toEqual([false, 500]);
});

test('the usage summary comes in counts and micro-dollars, over the range asked for', async () => {
  const asked: (string | undefined)[] = [];
  const stub = await useStubApi((request, response) => {
    asked.push(request.url);
    response.end(
      JSON.stringify({
        total_calls: 3,
        succeeded: 2,
        failed: 0,
        in_flight: 1,
        total_spent_usd: 0.1,
        per_feature: [{ feature: 'voice_swap', calls: 3, spend_usd: 0.1 }],
      }),
    );
  });
  const { account } = useClient(stub);
  expect(await account.usageSummary({ from: 'A', to: 'B' })).toEqual({
    totalCalls: 3,
    succeeded: 2,
    failed: 0,
    inFlight: 1,
    totalSpent: 100_000,
    perFeature: [{ feature: 'voice_swap', calls: 3, spent: 100_000 }],
  });
  expect(asked).toEqual([expect.stringContaining('/usage/summary?from=A&to=B')]);
});
