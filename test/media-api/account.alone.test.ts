import { expect, test } from 'vitest';
import { usageLog } from './usage-log.ts';
import { json, useClient, useStubApi } from './use-stub-api.ts';

const RECORD = {
  id: 'u1',
  endpoint: 'face-swap-image',
  feature: 'photo_swap',
  status: 'succeeded',
  charged_usd: 0.05,
  reason: null,
};

test('usage is one page with amounts in micro-dollars', async () => {
  const records = [0, 1, 2].map((second) => ({
    ...RECORD,
    id: `u${second}`,
    created_at: `2026-05-01T00:00:0${second}.097Z`,
  }));
  const stub = await useStubApi(usageLog(records, { read: null }));
  const page = await useClient(stub).account.usage({ limit: 2 });
  expect(page).toHaveLength(2);
  expect(page.at(-1)).toMatchObject({
    id: 'u1',
    feature: 'photo_swap',
    charged: 50_000,
    createdAtMs: Date.UTC(2026, 4, 1, 0, 0, 1, 97),
  });
});

test.each([
  '2026-05-01T00:00:00',
  '2026-05-01 00:00:00',
  '2026-05-01T00:00:00.000',
  '2026-05-01T00:00:00Z',
  '2026-05-01T02:00:00+02:00',
  '2026-05-01',
])('the time %s of a record is read as UTC wherever this runs', async (created_at) => {
  const zone = process.env['TZ'];
  process.env['TZ'] = 'Asia/Kolkata';
  try {
    const stub = await useStubApi(json(200, [{ ...RECORD, created_at }]));
    const [record] = await useClient(stub).account.usage();
    expect(record?.createdAtMs).toBe(Date.UTC(2026, 4, 1));
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test.each([0, 501, 1.5])('a page of %s records is refused here', async (limit) => {
  const stub = await useStubApi(json(200, []));
  await expect(useClient(stub).account.usage({ limit })).rejects.toThrow(RangeError);
});

test('the usage summary has counts and micro-dollars, for the requested range', async () => {
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
