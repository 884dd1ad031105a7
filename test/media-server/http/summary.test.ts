import { expect, test } from 'vitest';
import { readRateCard } from '../../../src/media-api/rate-card.ts';
import { type WireUsageSummary, wireUsageSummary } from '../../../src/media-api/wire.ts';
import { ApiClient } from '../api-client.ts';
import { openVoice, settled, streamingVoice, useSessions } from '../sessions/use-sessions.ts';
import { useDatabase } from '../use-database.ts';

async function summary(api: ApiClient, query: string = ''): Promise<WireUsageSummary> {
  const { json } = await api.get(`/usage/summary${query}`);
  expect(wireUsageSummary.parse(json)).toEqual(json);
  return json as WireUsageSummary;
}

test('the summary counts jobs and sessions, and an open session is a running call', async () => {
  const { api, clock, server, photos } = await useSessions();
  const nothing = { total_calls: 0, succeeded: 0, failed: 0, in_flight: 0, total_spent_usd: 0 };
  expect(await summary(api)).toEqual({ ...nothing, per_feature: [] });
  const body = await api.photoSwapBody();
  await api.ended((await api.submit(body)).id);
  photos.pause();
  server.admin.cancelJob((await api.submit(body)).id);
  await api.submit(body);
  const { session, stream } = await streamingVoice(api);
  await clock.advance(30_000);
  stream.socket.close();
  await settled(api, session);
  await openVoice(api);
  await streamingVoice(api);
  expect(await summary(api)).toEqual({
    total_calls: 6,
    succeeded: 2,
    failed: 1,
    in_flight: 3,
    total_spent_usd: 0.07,
    per_feature: [
      { feature: 'photo_swap', calls: 3, spend_usd: 0.04 },
      { feature: 'voice_swap', calls: 3, spend_usd: 0.03 },
    ],
  });
  const accountId = server.admin.createAccount('B');
  const other = new ApiClient(server.baseUrl, server.admin.createKey({ name: 'B', accountId }).text);
  expect((await summary(other)).total_calls).toBe(0);
});

test('the summary covers 10,000 calls, the log is capped, and a range excludes its end', async () => {
  const { api, clock, dataDir } = await useSessions();
  const body = await api.photoSwapBody();
  await api.ended((await api.submit(body)).id);
  await openVoice(api);
  await clock.advance(60_000);
  const start = Date.parse('2026-02-01T00:00:00Z');
  useDatabase(dataDir).exec(`
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
    INSERT INTO jobs (id, accountId, feature, request, rate, minimum, hold, status, outputFile, createdAt, finishedAt,
        charged, reconciledAt)
      SELECT 'job_' || i, accountId, feature, request, rate, minimum, hold, 'succeeded', 'x', ${start} + i, ${start},
        3, ${start} FROM n, (SELECT * FROM jobs LIMIT 1);
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
    INSERT INTO sessions (id, accountId, feature, rate, seconds, block, state, charged, createdAt, endedAt)
      SELECT 'ses_' || i, accountId, feature, rate, seconds, block, 'failed', 5, ${start} + i, ${start}
        FROM n, (SELECT * FROM sessions LIMIT 1)`);
  expect(await summary(api)).toEqual({
    total_calls: 10_002,
    succeeded: 5_002,
    failed: 5_000,
    in_flight: 0,
    total_spent_usd: 0.08,
    per_feature: [
      { feature: 'photo_swap', calls: 5_001, spend_usd: 0.055 },
      { feature: 'voice_swap', calls: 5_001, spend_usd: 0.025 },
    ],
  });
  expect((await api.get('/usage?limit=500')).json).toHaveLength(500);
  const iso = (ms: number): string => new Date(ms).toISOString();
  const range = `?from=${iso(start + 10)}&to=${iso(start + 60)}`;
  const listed = (await api.get(`/usage${range}&limit=500`)).json as { created_at: string }[];
  expect([listed.length, (await summary(api, range)).total_calls]).toEqual([100, 100]);
  expect([listed[0]?.created_at, listed.at(-1)?.created_at]).toEqual([iso(start + 59), iso(start + 10)]);
  expect((await api.get('/usage/summary?from=yesterday')).status).toBe(400);
});

test('the rate card prices sessions by the minute, and the bot reads it', async () => {
  const { api } = await useSessions();
  const { json } = await api.get('/pricing');
  expect(json).toMatchObject({
    capabilities: expect.arrayContaining([
      {
        endpoint: 'full-live-swap',
        feature: 'live_swap_pro',
        unit: 'minute',
        rate_usd: 0.3,
        minimum_usd: 0,
        estimated_hold_usd: 3,
      },
      {
        endpoint: 'voice',
        feature: 'voice_swap',
        unit: 'minute',
        rate_usd: 0.06,
        minimum_usd: 0,
        estimated_hold_usd: 0.6,
      },
    ]),
  });
  const { rates } = readRateCard(json, 0);
  expect(Object.keys(rates)).toHaveLength(8);
  expect(rates.live_swap_pro).toEqual({
    rate: 300_000,
    unit: 'minute',
    minimum: 0,
    estimatedHold: 3_000_000,
  });
  expect(rates.voice_swap).toEqual({ rate: 60_000, unit: 'minute', minimum: 0, estimatedHold: 600_000 });
  expect((await openVoice(api)).max_cost_usd).toBe(0.6);
});
