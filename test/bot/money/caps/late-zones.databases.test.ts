import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BudgetPeriod } from '../../../../db/schema/caps.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { micros } from '../../../../src/base/money.ts';
import type { Budget } from '../../../../src/bot/money/caps/budget.ts';
import { BudgetRules } from '../../../../src/bot/money/budgets/budget-rules.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import { slotOf } from '../../../../src/bot/money/caps/slot-of.ts';
import { TEST_DATABASE } from '../../../db/database-url.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { aHold } from '../ledger/a-hold.ts';
import { ModelWindows } from './model-windows.ts';
import { setCap } from './set-cap.ts';
import { useLedger } from '../ledger/use-ledger.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OPERATOR_ZONE = 'Europe/Berlin';
const ROOMY: Budget = { limit: micros(1_000_000_000), period: 'total', timeZone: OPERATOR_ZONE };
const LIMIT = 1_000;
const ZONES = [null, 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kathmandu', 'America/New_York'];

const play = fc.record({
  period: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
  startMs: fc.constantFrom(Date.UTC(2026, 1, 1, 2), Date.UTC(2026, 1, 27, 20), Date.UTC(2026, 2, 1, 23)),
  steps: fc.array(
    fc.record({
      zone: fc.constantFrom(...ZONES),
      passMs: fc.constantFrom(HOUR_MS, 11 * HOUR_MS, DAY_MS, 8 * DAY_MS),
    }),
    { minLength: 3, maxLength: 6 },
  ),
});

test('whatever zones are set later, every hold stays in the window in which it was made', async () => {
  const db = await useDatabase();
  let guilds = 0;
  await fc.assert(
    fc.asyncProperty(play, async ({ period, startMs, steps }) => {
      const guildId = String((guilds += 1));
      const clock = new FakeClock(startMs);
      const ledger = new Ledger({ clock, defaultBudget: ROOMY });
      const rules = new BudgetRules({ db, clock, timeZone: OPERATOR_ZONE });
      const admin = { guildId, userId: 'admin', roleIds: [], isAdmin: true };
      const model = new ModelWindows(OPERATOR_ZONE);
      await setCap(db.kysely, { guildId, period, limit: LIMIT });
      const slots: number[] = [];
      for (const { zone, passMs } of steps) {
        const request = { ...aHold(`${guildId} ${slots.length}`, micros(1)), guildId };
        await db.transaction(`guild:${guildId}`, (trx) => ledger.hold(trx, request));
        slots.push(slotOf(clock.now()));
        model.meet(slotOf(clock.now()));
        await clock.advance(passMs);
        await rules.change(admin, { timeZone: zone });
        model.change(zone ?? OPERATOR_ZONE, slotOf(clock.now()));
      }
      for (const [index, slotMs] of slots.entries()) {
        const more = { subject: `${guildId} ${index}`, amount: micros(LIMIT + 1), rateCard: '{}' };
        const { startsAtMs, endsAtMs: resetsAtMs } = model.at(period, slotMs);
        const inWindow = slots.filter((other) => startsAtMs <= other && other < resetsAtMs);
        // The result describes the cap without this hold.
        const pending = inWindow.length - 1;
        expect(await db.transaction(`guild:${guildId}`, (trx) => ledger.resize(trx, more))).toMatchObject({
          held: false,
          cap: { target: { kind: 'guild' }, startsAtMs, resetsAtMs, pending, left: LIMIT - pending },
        });
      }
    }),
    { numRuns: TEST_DATABASE === 'postgres' ? 4 : 12 },
  );
});

test('a change of zone keeps the windows of every period, and windows that ended 100 days ago are forgotten', async () => {
  const bench = await useLedger();
  const { kysely } = bench.database;
  const changes = () => kysely.selectFrom('zone_changes').selectAll().orderBy('starts_at_ms').execute();
  const startMs = bench.clock.now();
  const zoned = (period: BudgetPeriod, startsAtMs: number, endsAtMs: number, changed: object = {}) => ({
    guild_id: 'guild',
    period,
    counts_from_ms: startsAtMs,
    starts_at_ms: startsAtMs,
    ends_at_ms: endsAtMs,
    zone_before: 'UTC',
    ...changed,
  });
  const monday = Date.UTC(2025, 11, 29);
  await bench.setZone('UTC');
  expect(await changes()).toEqual([]);

  // It is midnight in UTC. Further west, the previous day lasts for a few more hours.
  await bench.setZone('Etc/GMT+2');
  const late = 2 * HOUR_MS;
  const day = zoned('day', startMs, startMs + DAY_MS, { starts_at_ms: startMs - DAY_MS + late });
  const week = zoned('week', monday, monday + 7 * DAY_MS + late);
  const month = zoned('month', startMs, startMs + 31 * DAY_MS, {
    starts_at_ms: Date.UTC(2025, 11, 1) + late,
  });
  expect(await changes()).toEqual([month, week, day]);

  // A later change within the same windows extends them, and they still record the zone from before the first change.
  await bench.clock.advance(HOUR_MS);
  await bench.setZone('Etc/GMT+3');
  expect(await changes()).toEqual([month, { ...week, ends_at_ms: week.ends_at_ms + HOUR_MS }, day]);

  // The windows of another server stay, however old they are.
  await kysely
    .insertInto('zone_changes')
    .values({ ...day, guild_id: 'away', counts_from_ms: 0, starts_at_ms: 0, ends_at_ms: 1 })
    .execute();
  const endsAtMs = startMs + DAY_MS;
  const days = async () => (await changes()).filter(({ period }) => period === 'day').length;
  await bench.clock.advance(endsAtMs + 100 * DAY_MS - bench.clock.now());
  await bench.setZone('UTC');
  expect(await days()).toBe(3);
  await bench.clock.advance(HOUR_MS / 4);
  await bench.setZone('Etc/GMT+2');
  expect(await days()).toBe(2);
  expect((await changes())[0]?.guild_id).toBe('away');
});
