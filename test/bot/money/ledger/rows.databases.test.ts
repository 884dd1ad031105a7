import { expect, test } from 'vitest';
import type { CapView } from '../../../../src/bot/money/caps/cap.ts';
import { budgetOf } from '../../../../src/bot/money/caps/budget.ts';
import { micros } from '../../../../src/base/money.ts';
import { setCap } from '../caps/set-cap.ts';
import { type LedgerBench, useLedger } from './use-ledger.ts';

const START_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const SLOT_MS = 15 * MINUTE_MS;

/** Creates a hold one minute after a quarter-hour, under a role cap for the hold's capability. */
async function useHold(): Promise<LedgerBench> {
  const bench = await useLedger();
  const { kysely } = bench.database;
  await setCap(kysely, {
    kind: 'role',
    targetId: 'artists',
    capability: 'lip_sync',
    period: 'week',
    limit: 100,
  });
  await bench.clock.advance(SLOT_MS + MINUTE_MS);
  const roleIds = ['guests', 'artists'];
  await bench.hold('job', 50, { userId: 'ada', roleIds, capability: 'lip_sync', rateCard: '{"rate":1}' });
  return bench;
}

test('a hold stores its member, the roles with caps, its rates, and the times when it was made, charged and ended', async () => {
  const bench = await useHold();
  const { kysely } = bench.database;
  const hold = (): Promise<object> => kysely.selectFrom('holds').selectAll().executeTakeFirstOrThrow();
  const made = {
    subject: 'job',
    guild_id: 'guild',
    user_id: 'ada',
    role_ids: 'artists',
    capability: 'lip_sync',
    amount_micros: 50,
    state: 'pending',
    slot_ms: START_MS + SLOT_MS,
    rate_card: '{"rate":1}',
    charged_micros: 0,
    overrun_micros: 0,
    charged_as_of_ms: null,
    created_at_ms: START_MS + SLOT_MS + MINUTE_MS,
    resolved_at_ms: null,
  };
  expect(await hold()).toEqual(made);
  await bench.clock.advance(MINUTE_MS);
  await bench.resize('job', 60);
  const resized = { ...made, amount_micros: 60, rate_card: '{"resized":true}' };
  expect(await hold()).toEqual(resized);
  await bench.post('job', 70, 5);
  const endedAtMs = bench.clock.now();
  const ended = { ...resized, state: 'posted', resolved_at_ms: endedAtMs };
  expect(await hold()).toEqual({ ...ended, charged_micros: 70, overrun_micros: 10, charged_as_of_ms: 5 });
  await bench.clock.advance(MINUTE_MS);
  await bench.post('job', 65, 6);
  expect(await hold()).toEqual({ ...ended, charged_micros: 65, overrun_micros: 5, charged_as_of_ms: 6 });
});

test('the use of a hold is stored for its guild, member and capability, and for each cap that applies', async () => {
  const bench = await useHold();
  await bench.post('job', 70);
  const { kysely } = bench.database;
  const spending = await kysely.selectFrom('spending').selectAll().execute();
  const used = { posted_micros: 70, pending_micros: 0, overrun_micros: 20 };
  const place = { guild_id: 'guild', user_id: 'ada', capability: 'lip_sync' };
  expect(spending).toEqual([{ ...place, slot_ms: START_MS + SLOT_MS, ...used }]);
  const meters = await kysely.selectFrom('meters').selectAll().orderBy('period').execute();
  const monday = Date.UTC(2025, 11, 29);
  expect(meters).toEqual([
    {
      ...place,
      user_id: '',
      capability: '',
      period: 'day',
      starts_at_ms: START_MS,
      ends_at_ms: START_MS + DAY_MS,
      ...used,
    },
    { ...place, period: 'week', starts_at_ms: monday, ends_at_ms: monday + 7 * DAY_MS, ...used },
  ]);
  const entries = await kysely.selectFrom('ledger_entries').selectAll().orderBy('id').execute();
  const common = { subject: 'job', guild_id: 'guild', slot_ms: START_MS + SLOT_MS, corrects: null };
  for (const entry of entries) expect(entry).toMatchObject({ ...common, created_at_ms: bench.clock.now() });
  expect(
    entries.map(({ kind, debit_account: to, credit_account: from, amount_micros: amount }) => [
      kind,
      from,
      to,
      amount,
    ]),
  ).toEqual([
    ['hold', 'budget', 'pending', 50],
    ['charge', 'pending', 'spent', 50],
    ['overrun', 'overrun', 'spent', 20],
  ]);
});

test('sums of ended windows are deleted with the next one, and are computed again if needed', async () => {
  const bench = await useLedger();
  const days = async (): Promise<readonly number[]> => {
    const meters = await bench.database.kysely.selectFrom('meters').selectAll().execute();
    return meters
      .map(({ starts_at_ms: startsAtMs }) => (startsAtMs - START_MS) / DAY_MS)
      .toSorted((a, b) => a - b);
  };
  await bench.hold('first', 10);
  await bench.clock.advance(DAY_MS);
  expect(await days()).toEqual([0]);
  await bench.hold('second', 10);
  expect(await days()).toEqual([1]);
  await bench.resize('first', 20);
  expect(await days()).toEqual([0, 1]);
  await bench.clock.advance(DAY_MS);
  await bench.hold('third', 10);
  expect(await days()).toEqual([2]);
});

test('an alert stores the cap, the part of its limit, the member and the time', async () => {
  const bench = await useHold();
  const monday = Date.UTC(2025, 11, 29);
  const rows = await bench.database.kysely.selectFrom('budget_alerts').selectAll().execute();
  expect(rows).toEqual([
    {
      id: expect.stringMatching(/^alert_/),
      guild_id: 'guild',
      target_kind: 'role',
      target_id: 'artists',
      user_id: 'ada',
      capability: 'lip_sync',
      period: 'week',
      starts_at_ms: monday,
      ends_at_ms: monday + 7 * DAY_MS,
      percent: 50,
      limit_micros: 100,
      used_micros: 50,
      pending_micros: 50,
      made_at_ms: bench.clock.now(),
      due_at_ms: bench.clock.now(),
      attempts: 0,
      told_at_ms: null,
    },
  ]);
});

test('a cap that is set afterwards sums up its guild, member, capability and window, and nothing else', async () => {
  const bench = await useLedger();
  const { kysely } = bench.database;
  const places = ['guild', 'away'].flatMap((guildId) =>
    ['ada', 'ben'].flatMap((userId) =>
      ['avatar', 'lip_sync'].map((capability) => ({ guildId, userId, capability })),
    ),
  );
  type Booked = (typeof places)[number] & { readonly day: number; readonly amount: number };
  const booked: Booked[] = [];
  for (const day of [0, 1]) {
    // The first and the last quarter-hour of each day.
    for (const pauseMs of [0, DAY_MS - SLOT_MS]) {
      await bench.clock.advance(pauseMs);
      for (const place of places) {
        // Each amount on a day is a different power of two, so a sum shows which amounts it contains.
        const amount = 2 ** (booked.length % 16);
        await bench.hold(`job ${booked.length}`, amount, place);
        if (booked.length % 2 === 1) await bench.post(`job ${booked.length}`, amount);
        booked.push({ ...place, day, amount });
      }
    }
    if (day === 0) await bench.clock.advance(SLOT_MS);
  }
  const kinds = { guild: '', role: 'artists', member: 'ada' } as const;
  for (const [kind, targetId] of Object.entries(kinds)) {
    for (const capability of ['', 'avatar']) {
      for (const period of ['day', 'month'] as const) {
        await setCap(kysely, { kind: kind as keyof typeof kinds, targetId, capability, period, limit: 1e6 });
      }
    }
  }
  const views = await bench.ledger.views(kysely, 'guild', { userId: 'ada', roleIds: ['artists'] });
  expect(views).toHaveLength(12);
  for (const { target, capability, period, posted, pending } of views) {
    const counted = booked.filter(
      (one) =>
        one.guildId === 'guild' &&
        (target.kind === 'guild' || one.userId === 'ada') &&
        (capability === null || one.capability === capability) &&
        (period === 'month' || one.day === 1),
    );
    const sum = counted.reduce((total, { amount }) => total + amount, 0);
    expect({ target, capability, period, used: posted + pending }).toEqual({
      target,
      capability,
      period,
      used: sum,
    });
  }
});

test('a charge is refused if the sum of its quarter of an hour is missing', async () => {
  const bench = await useHold();
  await bench.database.kysely.deleteFrom('spending').execute();
  await expect(bench.post('job', 40)).rejects.toThrow('is missing');
  await expect(bench.void('job')).rejects.toThrow('is missing');
});

test('a view of a cap says what is charged, set aside and left, and when its window starts and ends', async () => {
  const bench = await useHold();
  await bench.hold('more', 20, { userId: 'ada', roleIds: [], capability: 'lip_sync' });
  await bench.post('job', 30);
  await bench.hold('else', 9, { userId: 'ben', roleIds: ['artists'], capability: 'lip_sync' });
  const ada = { userId: 'ada', roleIds: ['artists'] };
  const views = await bench.ledger.views(bench.database.kysely, 'guild', ada);
  const monday = Date.UTC(2025, 11, 29);
  expect(views.toSorted((a, b) => a.limit - b.limit)).toEqual([
    {
      target: { kind: 'role', roleId: 'artists' },
      capability: 'lip_sync',
      period: 'week',
      limit: 100,
      posted: 30,
      pending: 20,
      left: 50,
      startsAtMs: monday,
      resetsAtMs: monday + 7 * DAY_MS,
    },
    {
      target: { kind: 'default' },
      capability: null,
      period: 'day',
      limit: 1_000_000,
      posted: 30,
      pending: 29,
      left: 999_941,
      startsAtMs: START_MS,
      resetsAtMs: START_MS + DAY_MS,
    },
  ]);
});

test('the budget of a guild is its cap on everything with the least left, and among equal ones the one that ends last', async () => {
  const view = (changes: Partial<CapView>): CapView => ({
    target: { kind: 'guild' },
    capability: null,
    period: 'day',
    limit: micros(100),
    posted: micros(0),
    pending: micros(0),
    left: micros(50),
    startsAtMs: 0,
    resetsAtMs: 10,
    ...changes,
  });
  const narrow = { left: micros(1) };
  const others = [
    view({ ...narrow, capability: 'avatar' }),
    view({ ...narrow, target: { kind: 'role', roleId: '1' } }),
    view({ ...narrow, target: { kind: 'member', userId: '1' } }),
  ];
  const resets = (...views: CapView[]): number | null => budgetOf([...others, ...views]).resetsAtMs;
  expect(resets(view({}), view({ resetsAtMs: 20 }), view({ resetsAtMs: 15 }))).toBe(20);
  expect(resets(view({}), view({ resetsAtMs: null }), view({ resetsAtMs: 15 }))).toBeNull();
  expect(resets(view({ resetsAtMs: 20 }), view({ left: micros(49) }))).toBe(10);
  for (const kind of ['operator', 'default'] as const) {
    expect(resets(view({ resetsAtMs: 20 }), view({ ...narrow, target: { kind } }))).toBe(10);
  }
  expect(() => budgetOf(others)).toThrow(TypeError);
});

test('members’ use can be read again within the current day, week and month of their guild', async () => {
  const bench = await useLedger();
  const span = () => bench.ledger.limitSpan(bench.database.kysely, 'guild');
  // The first of January is a Thursday.
  expect(await span()).toEqual({ startsAtMs: Date.UTC(2025, 11, 29), endsAtMs: Date.UTC(2026, 1, 1) });
  await bench.clock.advance(28 * DAY_MS);
  expect(await span()).toEqual({ startsAtMs: START_MS, endsAtMs: Date.UTC(2026, 1, 2) });
});
