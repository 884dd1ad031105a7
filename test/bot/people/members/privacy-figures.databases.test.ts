import { expect, test } from 'vitest';
import type { JobStage } from '../../../../db/schema/jobs.ts';
import { PrivacyDesk } from '../../../../src/bot/people/members/privacy-desk.ts';
import { FILLED, type Subject } from './filled-tables.ts';
import { fill, put, rowsOf, useRemoval } from './use-removal.ts';

const ADA: Subject = { name: 'a', userId: '700000000000000001', guildId: '800000000000000001' };
const BEN: Subject = { name: 'b', userId: '700000000000000002', guildId: '800000000000000001' };
const there = (of: Subject, name: string): Subject => ({ ...of, name, guildId: '800000000000000002' });
const ROWS_MAX = 2_000;
const DAY_MS = 86_400_000;

const iso = (atMs: number): string => new Date(atMs).toISOString();

test('a member without stored data sees that there is none', async () => {
  const { privacy, db } = await useRemoval();
  await fill(db, BEN);
  expect(await privacy.see(ADA.userId)).toEqual({
    jobs: 0,
    openJobs: 0,
    keptResults: 0,
    firstJobAtMs: null,
    faces: 0,
    neverSwapSinceMs: null,
    voiceServers: 0,
    liveServers: 0,
    avatarServers: 0,
    undeleted: [],
    countedServers: 0,
    resultKeepDays: 0,
  });
});

test('a member sees how much is stored about them in all servers, and nothing of others', async () => {
  const place = await useRemoval();
  const { db, privacy } = place;
  await fill(db, BEN);
  await fill(db, there(BEN, 'b2'));
  await put(place.db, 'never_swap', ADA, { since_ms: 77 });
  const stages: readonly JobStage[] = ['accepted', 'fetched', 'posted', 'settled', 'settled', 'abandoned'];
  for (const [index, stage] of stages.entries()) {
    const of = index % 2 === 0 ? { ...ADA, name: String(index) } : there(ADA, String(index));
    const result = index === 3 ? {} : { result_path: null };
    await put(place.db, 'jobs', of, { stage, accepted_at_ms: 1_000 - index, ...result });
  }
  for (const [index, state] of (['saved', 'saved', 'pending', 'deleted'] as const).entries()) {
    await put(place.db, 'faces', ADA, { id: `face_${index}`, name: `Face ${index}`, state });
  }
  // Two permissions in one server count as one server, and a permission that was withdrawn does not count.
  await put(place.db, 'avatar_consents', ADA, { user_id: '1' });
  await put(place.db, 'avatar_consents', ADA, { user_id: '2' });
  await put(place.db, 'avatar_consents', there(ADA, 'x'), { user_id: '', is_allowed: 0 });
  for (const [guild, channel] of [
    ['1', '1'],
    ['1', '2'],
    ['2', '1'],
    ['3', '1'],
  ] as const) {
    await put(place.db, 'voice_consents', { ...ADA, guildId: guild }, { channel_id: `channel ${channel}` });
  }
  for (const guildId of ['1', '5'])
    await put(place.db, 'voice_consents', { ...ADA, guildId }, { channel_id: '' });
  await put(place.db, 'undeleted_messages', ADA, { message_id: '8', noted_at_ms: 2 });
  await put(place.db, 'undeleted_messages', ADA, { message_id: '9', noted_at_ms: 1 });

  expect(await privacy.see(ADA.userId)).toEqual({
    jobs: 6,
    openJobs: 3,
    keptResults: 1,
    firstJobAtMs: 995,
    faces: 2,
    neverSwapSinceMs: 77,
    voiceServers: 3,
    liveServers: 2,
    avatarServers: 1,
    undeleted: ['9', '8'].map((id) => `https://discord.com/channels/${ADA.guildId}/channel_a/${id}`),
    countedServers: 0,
    resultKeepDays: 0,
  });
});

test.each([
  [30 * DAY_MS, 30],
  [DAY_MS * 1.5, 2],
  [DAY_MS * 1.4, 1],
])('results that are kept for %d ms are kept for %d days', async (resultKeepMs, days) => {
  const { db, clock } = await useRemoval();
  const plain = { pseudonymOf: String, onRemoval: () => undefined };
  const privacy = new PrivacyDesk({ db, clock, ...plain, resultKeepMs });
  expect((await privacy.see(ADA.userId)).resultKeepDays).toBe(days);
});

test('an export contains all stored data, with times as dates and amounts in dollars', async () => {
  const place = await useRemoval();
  const { db, clock, privacy } = place;
  await fill(db, BEN);
  await fill(db, ADA);
  await put(place.db, 'avatar_consents', there(ADA, 'x'), { user_id: '', is_allowed: 0 });
  await put(place.db, 'voice_consents', there(ADA, 'x'), {
    channel_id: '',
    text_version: 'live-1',
    given_at_ms: 3_000,
    revoked_at_ms: 4_000,
    revoked_by: 'member',
  });
  await put(place.db, 'caps', ADA, { capability: 'lip_sync', period: 'week', limit_micros: 2_500_000 });
  await put(place.db, 'caps', ADA, { target_kind: 'role', period: 'week' });
  await put(place.db, 'faces', ADA, { id: 'face_pending', name: 'Pending', state: 'pending' });
  const newest = { stage: 'accepted', outcome: null, result_mime: null, result_message_id: null };
  await put(place.db, 'jobs', there(ADA, 'new'), {
    ...newest,
    accepted_at_ms: 5_000,
    settled_at_ms: null,
    charged_micros: null,
  });
  await put(place.db, 'job_inputs', { ...ADA, name: 'new' }, { path: null, source: 'newest', size_bytes: 7 });
  await put(place.db, 'sessions', there(ADA, 'open'), {
    state: 'open',
    opened_at_ms: 6_000,
    ended_at_ms: null,
    settled_at_ms: null,
    charged_micros: null,
  });

  const text = await privacy.export(ADA.userId);
  const first = iso(1);
  const guildId = ADA.guildId;
  const away = there(ADA, 'x').guildId;
  const file = { option: 'face', kind: 'image' };
  const kept = { type: `type for ${ADA.userId}`, size_bytes: 5, is_kept: true };
  expect(JSON.parse(text)).toEqual({
    exported_at: iso(clock.now()),
    user_id: ADA.userId,
    never_swap_my_face_since: first,
    saved_faces: [
      {
        name: `name of ${ADA.userId}`,
        is_default: false,
        size_bytes: null,
        saved_at: first,
        agreed_to_text: 'face-1',
        scope: 'all_servers',
      },
    ],
    avatar_consents: [
      { server_id: guildId, for: ADA.userId, allowed: true, said_at: first, agreed_to_text: 'avatar-1' },
      { server_id: away, for: 'everybody', allowed: false, said_at: first, agreed_to_text: 'avatar-1' },
    ],
    voice_consents: [
      {
        what: 'live_swap_pro',
        server_id: away,
        channel_id: null,
        agreed_at: iso(3_000),
        agreed_to_text: 'live-1',
        ended_at: iso(4_000),
        ended_by: 'member',
      },
      {
        what: 'voice_swap',
        server_id: guildId,
        channel_id: 'channel_a',
        agreed_at: first,
        agreed_to_text: 'voice-1',
        ended_at: null,
        ended_by: null,
      },
    ],
    jobs: [
      {
        id: 'job_new',
        what: 'photo_swap',
        server_id: away,
        channel_id: 'channel_new',
        message_id: `reply to ${ADA.userId}`,
        parameters: { prompt: `words of ${ADA.userId}` },
        stage: 'accepted',
        outcome: null,
        asked_at: iso(5_000),
        ended_at: null,
        set_aside: null,
        charged: null,
        result: null,
        files: [{ ...file, from: 'newest', size_bytes: 7, is_kept: false }],
      },
      {
        id: 'job_a',
        what: 'photo_swap',
        server_id: guildId,
        channel_id: 'channel_a',
        message_id: `result of ${ADA.userId}`,
        parameters: { prompt: `words of ${ADA.userId}` },
        stage: 'settled',
        outcome: 'succeeded',
        asked_at: first,
        ended_at: first,
        set_aside: '$0.05',
        charged: '$0.06',
        result: kept,
        files: [{ ...file, from: 'chat', size_bytes: null, is_kept: true }],
      },
    ],
    spending_limits: expect.arrayContaining([
      { server_id: guildId, what: 'everything', period: 'day', limit: '$0.000001', set_at: first },
      { server_id: guildId, what: 'lip_sync', period: 'week', limit: '$2.50', set_at: first },
    ]),
    reports: [{ server_id: guildId, job_id: 'job_a', reported_at: first }],
    messages_not_deleted: [`https://discord.com/channels/${guildId}/channel_a/message_a`],
    live_sessions: [
      {
        id: 'session_open',
        what: 'voice_swap',
        server_id: away,
        channel_id: 'channel_open',
        voice: `voice of ${ADA.userId}`,
        asked_at: iso(6_000),
        ended_at: null,
        seconds: 1.5,
        charged: null,
      },
      {
        id: 'session_a',
        what: 'voice_swap',
        server_id: guildId,
        channel_id: 'channel_a',
        voice: `voice of ${ADA.userId}`,
        asked_at: first,
        ended_at: first,
        seconds: 1.5,
        charged: '$0.02',
      },
    ],
  });
  const { spending_limits: limits } = JSON.parse(text) as { spending_limits: unknown[] };
  expect(limits).toHaveLength(2);
});

test('an export says that a result is no longer kept', async () => {
  const place = await useRemoval();
  await put(place.db, 'jobs', ADA, { result_path: null });
  const { jobs } = JSON.parse(await place.privacy.export(ADA.userId)) as { jobs: { result: object }[] };
  expect(jobs[0]?.result).toMatchObject({ size_bytes: 5, is_kept: false });
});

test('only an export that omits older jobs says so', async () => {
  const place = await useRemoval();
  const rows = Array.from({ length: ROWS_MAX }, (_, index) => ({
    ...FILLED['jobs']?.({ ...ADA, name: String(index) }),
    accepted_at_ms: 1_000 + index,
  }));
  for (let from = 0; from < rows.length; from += 200) {
    await place.db.kysely
      .insertInto('jobs')
      .values(rows.slice(from, from + 200) as never)
      .execute();
  }
  const exported = async () =>
    JSON.parse(await place.privacy.export(ADA.userId)) as { jobs: { id: string }[]; note?: string };

  const whole = await exported();
  await put(place.db, 'jobs', { ...ADA, name: 'older' });
  const cut = await exported();

  expect(await rowsOf(place.db, 'jobs')).toHaveLength(ROWS_MAX + 1);
  expect([whole.jobs.length, whole.note]).toEqual([ROWS_MAX, undefined]);
  expect([cut.jobs.length, cut.note]).toEqual([ROWS_MAX, 'Only your newest jobs are listed.']);
  expect(cut.jobs.map(({ id }) => id)).not.toContain('job_older');
});
