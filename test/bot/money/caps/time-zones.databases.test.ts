import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { type MicroUsd, micros } from '../../../../src/base/money.ts';
import type { Budget } from '../../../../src/bot/money/caps/budget.ts';
import { BudgetRules } from '../../../../src/bot/money/budgets/budget-rules.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import type { Amount } from '../../../../src/bot/money/caps/usual-caps.ts';
import { windowAt } from '../../../../src/bot/money/caps/window.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { TEST_DATABASE } from '../../../db/database-url.ts';
import { aHold } from '../ledger/a-hold.ts';
import { setCap } from './set-cap.ts';

const HOUR_MS = 3_600_000;
const TEN = micros(10_000_000);
const ROOMY: Budget = { limit: micros(1_000_000_000), period: 'total', timeZone: 'UTC' };
const ADMIN = { guildId: 'guild', userId: 'ada', roleIds: [], isAdmin: true };
/** Whatever the hour, in one of these zones a new day has just started. */
const ZONES = Array.from({ length: 24 }, (_, hour) => {
  const offset = hour <= 12 ? hour : hour - 24;
  return offset === 0 ? 'UTC' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
});

interface Books {
  readonly clock: FakeClock;
  readonly setZone: (zone: string | null) => Promise<unknown>;
  readonly spend: (amount: MicroUsd) => Promise<boolean>;
  readonly ledger: Ledger;
  readonly db: Awaited<ReturnType<typeof useDatabase>>;
}

async function useBooks(defaultBudget: Budget, options: { startMs?: number; allowance?: Amount } = {}) {
  const { startMs, allowance } = options;
  const db = await useDatabase();
  const clock = new FakeClock(startMs);
  const ledger = new Ledger({ clock, defaultBudget, allowance });
  const rules = new BudgetRules({ db, clock, timeZone: defaultBudget.timeZone });
  let holds = 0;
  const books: Books = {
    clock,
    ledger,
    db,
    setZone: (zone) => rules.change(ADMIN, { timeZone: zone }),
    spend: async (amount) => {
      const request = aHold(`job-${holds++}`, amount);
      return (await db.transaction('guild:guild', (trx) => ledger.hold(trx, request))).held;
    },
  };
  return books;
}

/**
 * Every hour, sets a zone in which a new day has just started, and spends as much as possible, one dollar at a time.
 * Returns the dollars spent.
 */
async function spendAroundTheWorld(books: Books, hours: number): Promise<number> {
  let dollars = 0;
  for (let hour = 0; hour < hours; hour++) {
    const utcHour = new Date(books.clock.now()).getUTCHours();
    await books.setZone(ZONES[(24 - utcHour) % 24] ?? 'UTC');
    while (await books.spend(micros(1_000_000))) dollars++;
    await books.clock.advance(HOUR_MS);
  }
  return dollars;
}

test.each([
  ['the allowance', { ...ROOMY }, { limit: TEN, period: 'day' }],
  ["the operator's default", { ...ROOMY, limit: TEN, period: 'day' }, undefined],
] as const)(
  '%s of a day is used up once a day, whatever zones are set in between',
  async (_, budget, allowance) => {
    const books = await useBooks(budget, allowance ? { allowance } : {});

    expect(await spendAroundTheWorld(books, 24)).toBe(10);
    expect(await spendAroundTheWorld(books, 24)).toBe(10);
  },
);

test('at the end of a month, a monthly allowance resets once, whatever zones are set', async () => {
  const startMs = Date.UTC(2026, 0, 31, 9);
  const books = await useBooks(ROOMY, { startMs, allowance: { limit: TEN, period: 'month' } });

  expect(await spendAroundTheWorld(books, 30)).toBe(20);
});

test("a guild's own budget does not get a new day in another zone: the current window is extended", async () => {
  const books = await useBooks(ROOMY);
  await setCap(books.db.kysely, { period: 'day', limit: TEN });

  expect(await spendAroundTheWorld(books, 24)).toBe(10);
  expect(await spendAroundTheWorld(books, 24)).toBe(0);
  await books.clock.advance(24 * HOUR_MS);
  expect(await spendAroundTheWorld(books, 1)).toBe(10);
});

/**
 * Real time zones: the first and the last to start a new day, some with offsets of half or quarter hours, and some with
 * daylight saving time.
 */
const REAL_ZONES = [
  null,
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Pacific/Chatham',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Havana',
];
const PERIODS = ['day', 'week', 'month'] as const;
const OPERATOR_ZONE = 'America/New_York';

interface Spent {
  readonly atMs: number;
  readonly amount: number;
}

function usedIn(spent: readonly Spent[], window: { startsAtMs: number; endsAtMs: number }): number {
  return spent
    .filter(({ atMs }) => window.startsAtMs <= atMs && atMs < window.endsAtMs)
    .reduce((sum, { amount }) => sum + amount, 0);
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ zone: fc.constantFrom(...REAL_ZONES) }) },
  { weight: 3, arbitrary: fc.record({ spend: fc.integer({ min: 1, max: 40 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      passMs: fc.oneof(
        fc.integer({ min: 0, max: 3 * HOUR_MS }),
        fc.constantFrom(12 * HOUR_MS, 23 * HOUR_MS, 24 * HOUR_MS, 100 * HOUR_MS),
      ),
    }),
  },
);
/** Times shortly before the clocks change in one of the zones, or before a month ends. */
const startMs = fc.constantFrom(
  Date.UTC(2026, 2, 28, 20),
  Date.UTC(2026, 9, 31, 9),
  Date.UTC(2026, 10, 1, 3),
  Date.UTC(2026, 11, 31, 9),
);

test(
  "whatever zones are set and when, the operator's limits hold, and no change gives more than was left",
  { timeout: 600_000 },
  async () => {
    const runs = TEST_DATABASE === 'postgres' ? 6 : 60;
    const values = fc.record({
      startMs,
      steps: fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }),
      allowance: fc.constantFrom(...PERIODS),
      usual: fc.constantFrom(...PERIODS),
    });
    await fc.assert(
      fc.asyncProperty(values, async (play) => {
        const limits = { allowance: 100, usual: 80, day: 50, week: 70, month: 90 };
        const books = await useBooks(
          { limit: micros(limits.usual), period: play.usual, timeZone: OPERATOR_ZONE },
          { startMs: play.startMs, allowance: { limit: micros(limits.allowance), period: play.allowance } },
        );
        const { kysely } = books.db;
        // The guild's caps are for one capability only, so that the operator's default stays in force.
        for (const period of PERIODS) {
          await setCap(kysely, { period, capability: 'photo_swap', limit: limits[period] });
        }
        const spent: Spent[] = [];
        const own = async (): Promise<Map<string, number>> => {
          const views = await books.ledger.views(kysely, 'guild');
          return new Map(
            views.flatMap((view) => (view.target.kind === 'guild' ? [[view.period, view.left]] : [])),
          );
        };
        for (const one of play.steps) {
          const nowMs = books.clock.now();
          if ('passMs' in one) await books.clock.advance(one.passMs);
          if ('spend' in one && (await books.spend(micros(one.spend)))) {
            spent.push({ atMs: nowMs, amount: one.spend });
          }
          if ('zone' in one) {
            const before = await own();
            await books.setZone(one.zone);
            for (const [period, left] of await own()) {
              const name = period as (typeof PERIODS)[number];
              const fresh = windowAt(name, one.zone ?? OPERATOR_ZONE, nowMs);
              const most = Math.max(before.get(period) ?? 0, limits[name] - usedIn(spent, fresh));
              expect(left).toBeLessThanOrEqual(most);
            }
          }
          for (const [period, limit] of [
            [play.allowance, limits.allowance],
            [play.usual, limits.usual],
          ] as const) {
            const used = usedIn(spent, windowAt(period, OPERATOR_ZONE, books.clock.now()));
            expect(used).toBeLessThanOrEqual(limit);
          }
        }
      }),
      { numRuns: runs },
    );
  },
);
