import { expect, test } from 'vitest';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { forgetEndedLimits } from '../../../../src/bot/people/members/gone-limits.ts';
import { useDatabase } from '../../../db/use-database.ts';
import type { Row, Subject } from './filled-tables.ts';
import { cellsWith, put as putRow, rowsOf } from './use-removal.ts';

const DAY_MS = 86_400_000;
const SLOT_MS = 900_000;
const NOW_MS = SLOT_MS * 1_000_000;
/** The period that this guild's limits take into account. */
const STARTS_AT_MS = NOW_MS - 10 * DAY_MS;
const ENDS_AT_MS = NOW_MS + 5 * DAY_MS;
const GONE: Subject = { name: 'a', userId: 'gone_ada', guildId: '800000000000000001' };
const THERE = '800000000000000002';
/** Rows that are too old for any limit. */
const OLD: Readonly<Record<string, Row>> = {
  jobs: { accepted_at_ms: NOW_MS - DAY_MS - 1 },
  sessions: { opened_at_ms: STARTS_AT_MS - 1 },
  holds: { slot_ms: STARTS_AT_MS - SLOT_MS },
  overrun_watches: { made_at_ms: NOW_MS - 90 * DAY_MS - 1 },
};
/** The oldest rows that a limit still reads. */
const READ: Readonly<Record<string, Row>> = {
  jobs: { accepted_at_ms: NOW_MS - DAY_MS },
  sessions: { opened_at_ms: STARTS_AT_MS },
  holds: { slot_ms: STARTS_AT_MS },
  overrun_watches: { made_at_ms: NOW_MS - 90 * DAY_MS },
};

async function useGone() {
  const db = await useDatabase();
  const clock = new FakeClock(NOW_MS);
  const put = (table: string, changes: Row = {}, of: Subject = GONE): Promise<void> =>
    putRow(db, table, of, changes);
  const member = (changes: Row = {}): Promise<void> =>
    put('gone_members', { pseudonym: GONE.userId, due_at_ms: NOW_MS, ...changes });
  const forget = (): Promise<void> =>
    forgetEndedLimits({
      db,
      clock,
      limitSpanOf: () => Promise.resolve({ startsAtMs: STARTS_AT_MS, endsAtMs: ENDS_AT_MS }),
    });
  const members = () => rowsOf(db, 'gone_members');
  return { db, clock, put, member, forget, members };
}

test.each(Object.keys(OLD))(
  'a row of %s is read by a limit for an exact time, and then names nobody',
  async (table) => {
    for (const [row, isRead] of [
      [READ[table], true],
      [OLD[table], false],
    ] as const) {
      const { db, put, member, forget, members } = await useGone();
      await put(table, row);
      await put('cap_changes');
      await member();
      await forget();
      const cells = await cellsWith(db, GONE.userId);
      expect(cells.includes(`${table}.user_id`)).toBe(isRead);
      // The history of the limits keeps the name for as long as any limit needs it.
      expect(cells.includes('cap_changes.target_id')).toBe(isRead);
      const next = { guild_id: GONE.guildId, pseudonym: GONE.userId, due_at_ms: NOW_MS + DAY_MS };
      expect(await members()).toEqual(isRead ? [next] : []);
    }
  },
);

test('all rows of a member get the same new name, and the sums follow', async () => {
  const { db, put, member, forget } = await useGone();
  await member();
  for (const table of ['jobs', 'sessions', 'holds'] as const) await put(table, OLD[table]);
  await put('holds', { subject: 'job_read', slot_ms: STARTS_AT_MS });
  for (const table of ['spending', 'meters', 'cap_changes']) await put(table);
  await forget();
  const [job] = await rowsOf(db, 'jobs');
  const nameless = job?.['user_id'];
  expect(nameless).toMatch(/^gone/);
  expect(nameless).not.toBe(GONE.userId);
  expect((await rowsOf(db, 'sessions'))[0]?.['user_id']).toBe(nameless);
  const sums = async (table: string) =>
    Object.fromEntries((await rowsOf(db, table)).map((row) => [row['user_id'], row['slot_ms']]));
  const slots = { [String(nameless)]: STARTS_AT_MS - SLOT_MS, [GONE.userId]: STARTS_AT_MS };
  expect(await sums('holds')).toEqual(slots);
  expect(await sums('spending')).toEqual(slots);
  expect(await rowsOf(db, 'meters')).toEqual([]);
});

test.each(['accepted', 'submitting', 'submitted', 'posted'])(
  'an old job that is %s still counts',
  async (stage) => {
    const { db, put, member, forget } = await useGone();
    await put('jobs', { ...OLD['jobs'], stage, settled_at_ms: null });
    await member();
    await forget();
    expect(await cellsWith(db, GONE.userId)).toContain('jobs.user_id');
  },
);

test.each(['jobs', 'sessions', 'holds'])(
  'a charge that waits for a review keeps its row of %s',
  async (table) => {
    for (const [subject, isKept] of [
      [table === 'sessions' ? 'session_a' : 'job_a', true],
      ['another', false],
    ] as const) {
      const { db, put, member, forget } = await useGone();
      await put(table, OLD[table]);
      await put('overrun_watches', { ...READ['overrun_watches'], subject });
      await member();
      await forget();
      expect((await cellsWith(db, GONE.userId)).includes(`${table}.user_id`)).toBe(isKept);
    }
  },
);

test.each([
  { of: 'the member', cap: {}, lasts: true },
  { of: 'any role', cap: { target_kind: 'role', target_id: '20' }, lasts: true },
  { of: 'another member', cap: { target_id: '7' }, lasts: false },
  { of: 'a role with the id of the member', cap: { target_kind: 'role' }, lasts: true },
  { of: 'the guild', cap: { target_kind: 'guild', target_id: '' }, lasts: false },
  { of: 'the guild, set by the operator', cap: { target_kind: 'operator', target_id: '' }, lasts: false },
  {
    of: 'a role of another guild',
    cap: { guild_id: THERE, target_kind: 'role', target_id: '20' },
    lasts: false,
  },
  { of: 'the member in another guild', cap: { guild_id: THERE }, lasts: false },
])('a limit without a period on $of keeps the earlier use: $lasts', async ({ cap, lasts }) => {
  for (const period of ['total', 'month']) {
    const { db, put, member, forget } = await useGone();
    await put('caps', { period, ...cap });
    for (const table of ['sessions', 'holds']) await put(table, OLD[table]);
    await member();
    await forget();
    const kept = (await cellsWith(db, GONE.userId)).filter((cell) =>
      /^(sessions|holds)\.user_id$/.test(cell),
    );
    expect(kept).toEqual(lasts && period === 'total' ? ['holds.user_id', 'sessions.user_id'] : []);
  }
});

test.each([
  { of: 'the member', cap: {}, stays: true },
  { of: 'the member in another guild', cap: { guild_id: THERE }, stays: false },
  { of: 'a role with the id of the member', cap: { target_kind: 'role' }, stays: false },
])('a limit on $of alone keeps the name known: $stays', async ({ cap, stays }) => {
  const { put, member, forget, members } = await useGone();
  await put('caps', { period: 'day', ...cap });
  await member();
  await forget();
  expect(await members()).toHaveLength(stays ? 1 : 0);
});

test('checks members when they are due, by the end of the window at the latest, each in their own guild', async () => {
  const { db, clock, put, member, forget, members } = await useGone();
  await put('jobs', READ['jobs']);
  await put('jobs', { ...OLD['jobs'] }, { ...GONE, name: 'there', guildId: THERE });
  await put('jobs', { ...OLD['jobs'] }, { ...GONE, name: 'other', userId: 'gone_ben' });
  await put('holds', { subject: 'hold', slot_ms: NOW_MS });
  await member({ due_at_ms: NOW_MS + 1 });
  await forget();
  const due = async () => (await members()).map((row) => row['due_at_ms']);
  expect(await due()).toEqual([NOW_MS + 1]);
  for (const [passMs, nextMs] of [
    [1, NOW_MS + 1 + DAY_MS],
    [DAY_MS, NOW_MS + 1 + 2 * DAY_MS],
    [3.5 * DAY_MS, ENDS_AT_MS],
  ] as const) {
    await clock.advance(passMs);
    await forget();
    expect(await due()).toEqual([nextMs]);
  }
  const users = Object.fromEntries((await rowsOf(db, 'jobs')).map((row) => [row['id'], row['user_id']]));
  expect(users).toEqual({ job_a: expect.any(String), job_there: GONE.userId, job_other: 'gone_ben' });
  expect(users['job_a']).not.toBe(GONE.userId);
});

test('checks all members who are due, however many', async () => {
  const { db, forget, members } = await useGone();
  for (const count of [100, 101]) {
    await db.kysely
      .insertInto('gone_members')
      .values(
        Array.from({ length: count }, (_, index) => ({
          guild_id: GONE.guildId,
          pseudonym: `gone_${index}`,
          due_at_ms: NOW_MS,
        })),
      )
      .execute();
    await forget();
    expect(await members()).toEqual([]);
  }
});
