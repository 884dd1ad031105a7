import { describe, expect, test } from 'vitest';
import { addMicros, parseUsd } from '../../../../src/base/money.ts';
import {
  ENDPOINT,
  USAGE_REASONS,
  type WireBalance,
  type WireUsageRecord,
  type WireUsageSummary,
  wireBalance,
  wireUsage,
  wireUsageSummary,
  wireVoices,
} from '../../../../src/media-api/wire.ts';
import { readRateCard } from '../../../../src/media-api/rate-card.ts';
import { assertRefused } from '../caller.ts';
import type { Target } from '../target.ts';

const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/;

/**
 * Tests the shapes of balance, usage, summary, voices and rates, and that they agree. These tests change nothing.
 */
export function readsSuite(target: () => Target): void {
  describe('balance, usage and summary', () => {
    test('the balance has its six numbers, and longer periods include shorter ones', async () => {
      const balance = await readBalance(target());
      expect(balance.total_spent_usd).toBeGreaterThanOrEqual(balance.spent_this_year_usd);
      expect(balance.spent_this_year_usd).toBeGreaterThanOrEqual(balance.spent_this_month_usd);
      for (const amount of Object.values(balance) as number[])
        expect(String(amount)).toMatch(/^-?\d+(\.\d{1,9})?(e-\d)?$/);
    });

    test('usage records are complete', async () => {
      const records = await readUsage(target(), '?limit=500');
      const endpoints: Readonly<Record<string, string>> = ENDPOINT;
      for (const record of records) {
        expect(record.created_at).toMatch(UTC_TIME);
        expect([record.feature, record.endpoint]).toEqual([record.feature, endpoints[record.feature]]);
        if (record.reason !== null) expect(USAGE_REASONS).toContain(record.reason);
        expect(record.charged_usd).toBeGreaterThanOrEqual(0);
      }
    });

    test('usage returns at most the requested number', async () => {
      expect((await readUsage(target(), '?limit=1')).length).toBeLessThanOrEqual(1);
      expect((await readUsage(target(), '')).length).toBeLessThanOrEqual(100);
    });

    test('a range includes its start and excludes its end', async ({ skip }) => {
      const [record] = await readUsage(target(), '?limit=1');
      if (!record) return skip('the account has no usage yet');
      const at = encodeURIComponent(record.created_at);
      const after = encodeURIComponent(new Date(Date.parse(record.created_at) + 1_000).toISOString());
      const answer = await target().api.get(`/usage?from=${at}&to=${after}&limit=500`);
      if (answer.status === 400)
        return skip('the service takes times in another format, which is not documented');
      const ids = async (query: string): Promise<string[]> =>
        (await readUsage(target(), query)).map(({ id }) => id);
      expect(wireUsage.parse(answer.json).map(({ id }) => id)).toContain(record.id);
      expect(await ids(`?to=${at}&limit=500`)).not.toContain(record.id);
      expect(await ids(`?from=${at}&to=${at}`)).toEqual([]);
    });

    test('the summary adds up, by itself and with the balance', async () => {
      const summary = await readSummary(target());
      expect(summary.total_calls).toBe(summary.succeeded + summary.failed + summary.in_flight);
      expect(sum(summary.per_feature.map(({ calls }) => calls))).toBe(summary.total_calls);
      const spends = summary.per_feature.map(({ spend_usd: spend }) => parseUsd(spend));
      expect(addMicros(...spends)).toBe(parseUsd(summary.total_spent_usd));
      expect((await readBalance(target())).total_spent_usd).toBe(summary.total_spent_usd);
    });

    test('the summary equals the log if the log contains everything', async ({ skip }) => {
      const summary = await readSummary(target());
      if (summary.total_calls > 500) return skip('the account has more calls than the log shows');
      const records = await readUsage(target(), '?limit=500');
      expect(records).toHaveLength(summary.total_calls);
      const charges = records.map(({ charged_usd: charged }) => parseUsd(charged));
      expect(addMicros(...charges)).toBe(parseUsd(summary.total_spent_usd));
    });
  });

  describe('voices', () => {
    test('each voice has its id, name, description and a preview that can be played without the key', async ({
      skip,
    }) => {
      const answer = await target().api.get('/voices');
      expect(answer.status).toBe(200);
      const voices = wireVoices.parse(answer.json);
      const [first] = voices;
      if (!first) return skip('the service offers no voice');
      expect(new Set(voices.map(({ id }) => id)).size).toBe(voices.length);
      const preview = await target().anonymous.get(first.preview_url);
      expect([preview.status, preview.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(/^audio\//),
      ]);
    });
  });

  describe('pricing', () => {
    test('the card states what a job costs and holds, with a key and without', async () => {
      for (const caller of [target().api, target().anonymous]) {
        const answer = await caller.get('/pricing');
        expect(answer.status).toBe(200);
        const { rates } = readRateCard(answer.json, 0);
        const known = Object.values(rates);
        expect(known.length).toBeGreaterThan(0);
        expect(known.filter(({ rate }) => rate === null)).toEqual([]);
      }
    });
  });

  test('a malformed limit is invalid_input', async () => {
    assertRefused(await target().api.get('/usage?limit=many'), 400, 'invalid_input');
  });
}

export async function readBalance({ api }: Target): Promise<WireBalance> {
  return wireBalance.parse((await api.get('/balance')).json);
}

export async function readUsage({ api }: Target, query: string): Promise<readonly WireUsageRecord[]> {
  return wireUsage.parse((await api.get(`/usage${query}`)).json);
}

export async function readSummary({ api }: Target): Promise<WireUsageSummary> {
  return wireUsageSummary.parse((await api.get('/usage/summary')).json);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
