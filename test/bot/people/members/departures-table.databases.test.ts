import { expect, test } from 'vitest';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { Departures } from '../../../../src/bot/people/members/departures.ts';
import { useDatabase } from '../../../db/use-database.ts';
import type { Row, Subject } from './filled-tables.ts';
import { put as putRow, rowsOf } from './use-removal.ts';

const KEEP_MS = 1_000;
const NOW_MS = 1_000_000;
const HERE: Subject = { name: 'a', userId: '700000000000000001', guildId: '800000000000000001' };
const THERE: Subject = { name: 'b', userId: '700000000000000002', guildId: '800000000000000002' };

async function useDepartures(isIn: (guildId: string) => boolean | null) {
  const db = await useDatabase();
  const clock = new FakeClock(NOW_MS);
  const presence = { isIn, watch: () => ({ [Symbol.dispose]: () => undefined }) };
  const departures = new Departures({ db, clock, log: silentLogger, presence, keepMs: KEEP_MS });
  const put = (table: string, of: Subject, changes: Row = {}): Promise<void> =>
    putRow(db, table, of, changes);
  /** Returns the time at which the bot left each guild. */
  const left = async () =>
    Object.fromEntries(
      (await rowsOf(db, 'departed_guilds')).map((row) => [row['guild_id'], row['left_at_ms']]),
    );
  /** Returns the guilds whose data is to be removed. */
  const purged = async () => (await rowsOf(db, 'removals')).map((row) => row['subject_id']);
  return { db, clock, departures, put, left, purged };
}

const OVER = NOW_MS - KEEP_MS;

test.each([
  { isIn: true, leftAtMs: null, after: null, isPurged: false },
  { isIn: true, leftAtMs: OVER, after: null, isPurged: false },
  { isIn: false, leftAtMs: null, after: NOW_MS, isPurged: false },
  { isIn: false, leftAtMs: OVER + 1, after: OVER + 1, isPurged: false },
  { isIn: false, leftAtMs: OVER, after: OVER, isPurged: true },
  { isIn: false, leftAtMs: 1, after: 1, isPurged: true },
  // Other guilds are checked by the processes that serve them.
  { isIn: null, leftAtMs: null, after: null, isPurged: false },
  { isIn: null, leftAtMs: OVER, after: OVER, isPurged: false },
])(
  'a guild that the bot is in ($isIn) and left at $leftAtMs: left at $after, purged: $isPurged',
  async ({ isIn, leftAtMs, after, isPurged }) => {
    for (const isKnown of [true, false]) {
      const { departures, put, left, purged } = await useDepartures((id) =>
        id === HERE.guildId ? isIn : true,
      );
      if (isKnown) await put('guild_rules', HERE);
      await put('guild_rules', THERE);
      if (leftAtMs !== null) await put('departed_guilds', HERE, { left_at_ms: leftAtMs });

      await departures.look();

      // If the bot stores no data of a guild, its departure is not recorded.
      const noted = isKnown ? after : leftAtMs;
      expect(await left()).toEqual(noted === null ? {} : { [HERE.guildId]: noted });
      expect(await purged()).toEqual(isPurged ? [HERE.guildId] : []);
    }
  },
);

test.each([
  'jobs',
  'sessions',
  'guild_rules',
  'guild_rule_entries',
  'avatar_consents',
  'voice_consents',
  'caps',
  'budget_settings',
])('the departure is noticed for a guild of which only %s are stored', async (table) => {
  const { departures, put, left } = await useDepartures(() => false);
  await put(table, HERE);
  await departures.look();
  expect(await left()).toEqual({ [HERE.guildId]: NOW_MS });
});

test.each([
  ['jobs', { user_id: 'gone_a' }],
  ['sessions', { user_id: 'gone_a' }],
  ['caps', { target_kind: 'operator', target_id: '' }],
  ['holds', {}],
  ['spending', {}],
] as const)(
  'the data that a removed guild leaves in %s does not cause another removal',
  async (table, changes) => {
    const { departures, put, left } = await useDepartures(() => false);
    await put(table, HERE, changes);
    await departures.look();
    expect(await left()).toEqual({});
  },
);

test('a guild that is left twice has the time of the first departure, and a guild that was rejoined has none', async () => {
  const { clock, departures, left } = await useDepartures(() => false);
  await departures.note(HERE.guildId, false);
  await departures.note(THERE.guildId, false);
  await clock.advance(5);
  await departures.note(HERE.guildId, false);
  await departures.note(THERE.guildId, true);
  expect(await left()).toEqual({ [HERE.guildId]: NOW_MS });
  await departures.note(THERE.guildId, false);
  expect(await left()).toEqual({ [HERE.guildId]: NOW_MS, [THERE.guildId]: NOW_MS + 5 });
});

test('a purge cancels open jobs of that guild only, from that moment on', async () => {
  const { db, departures, put } = await useDepartures((id) => id !== HERE.guildId);
  await put('departed_guilds', HERE);
  for (const of of [HERE, THERE]) await put('jobs', of, { stage: 'submitted', settled_at_ms: null });
  await put('jobs', { ...HERE, name: 'settled' });

  await departures.look();

  const taken = (await rowsOf(db, 'jobs')).map((row) => [
    String(row['id']),
    [row['taken_back'], row['woken_at_ms']],
  ]);
  expect(Object.fromEntries(taken)).toEqual({
    job_a: ['deleted', NOW_MS],
    job_b: [null, null],
    job_settled: [null, null],
  });
  expect(await rowsOf(db, 'removals')).toMatchObject([
    { kind: 'guild', subject_id: HERE.guildId, requested_at_ms: NOW_MS, due_at_ms: NOW_MS, attempts: 0 },
  ]);
});

test('guilds are purged in the order in which they were left', async () => {
  const { departures, put, purged } = await useDepartures(() => false);
  for (let index = 0; index <= 100; index++) {
    await put('departed_guilds', { ...HERE, guildId: String(1_000 + index) }, { left_at_ms: 500 - index });
  }
  await departures.look();
  const ids = await purged();
  expect(ids).toHaveLength(100);
  expect(ids).not.toContain('1000');
});
