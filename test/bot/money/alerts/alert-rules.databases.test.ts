import { expect, onTestFinished, test } from 'vitest';
import { releaseAlerts } from '../../../../db/queries/budget-alerts.ts';
import type { Database } from '../../../../db/database.ts';
import type { BudgetAlertRow, NewBudgetAlert } from '../../../../db/schema/alerts.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { micros } from '../../../../src/base/money.ts';
import { budgetAlerts } from '../../../../src/bot/money/alerts/budget-alerts.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import { AS_NOTED } from './as-noted.ts';
import type { BudgetAlert } from '../../../../src/bot/money/alerts/budget-alert.ts';
import type { AlertOutcome } from '../../../../src/bot/money/alerts/alert-outcome.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.UTC(2026, 10, 22, 12);

type Heard = BudgetAlert & { readonly channelId: string; readonly isRepeat: boolean };

/** Alerts in a database, and a chat that records what it receives. */
interface Rules {
  readonly clock: FakeClock;
  readonly db: Database;
  readonly heard: Heard[];
  /** The chat's response, or an error if it cannot be reached. */
  answer: AlertOutcome | Error;
  /** Inserts an alert that was created a moment ago, for the current day. */
  put(id: string, changes?: Partial<NewBudgetAlert>): Promise<void>;
  /** Sets the guild's channel for alerts to this one. */
  chose(guildId: string, channelId: string): Promise<void>;
  /** Sends everything that is due now, and stops. Returns the ids of the alerts that were sent. */
  tell(): Promise<readonly string[]>;
  row(id: string): Promise<BudgetAlertRow | undefined>;
  clear(): Promise<void>;
}

async function useRules(): Promise<Rules> {
  const db = await useDatabase();
  const clock = new FakeClock(NOW_MS);
  const rules: Rules = {
    clock,
    db,
    heard: [],
    answer: { outcome: 'sent' },
    async put(id, changes) {
      const row = { ...AN_ALERT, id, ...changes };
      await db.kysely.insertInto('budget_alerts').values(row).execute();
    },
    async chose(guildId, channelId) {
      const row = { guild_id: guildId, time_zone: null, confirm_above_micros: null };
      await db.kysely
        .insertInto('budget_settings')
        .values({ ...row, alerts_channel_id: channelId })
        .execute();
    },
    async tell() {
      rules.heard.length = 0;
      const alerts = budgetAlerts({
        db,
        clock,
        log: recordingLogger([]),
        channel: { sendBudgetAlert },
        ledger: AS_NOTED,
      });
      const timers = clock.pendingTimers;
      alerts.start();
      // Once the sender has handled everything that is due, it sets a timer for the next alert.
      await expect.poll(() => clock.pendingTimers, { interval: 1 }).toBeGreaterThan(timers);
      await alerts[Symbol.asyncDispose]();
      return rules.heard.map(({ id }) => id);
    },
    row: (id) => db.kysely.selectFrom('budget_alerts').selectAll().where('id', '=', id).executeTakeFirst(),
    async clear() {
      await db.kysely.deleteFrom('budget_alerts').execute();
    },
  };
  const sendBudgetAlert = async (
    channelId: string,
    alert: BudgetAlert,
    { isRepeat }: { readonly isRepeat: boolean },
  ): Promise<AlertOutcome> => {
    rules.heard.push({ ...alert, channelId, isRepeat });
    if (rules.answer instanceof Error) throw rules.answer;
    return rules.answer;
  };
  onTestFinished(() => db[Symbol.asyncDispose]());
  return rules;
}

const AN_ALERT: NewBudgetAlert = {
  id: '',
  guild_id: '1',
  target_kind: 'member',
  target_id: '7',
  user_id: '7',
  capability: 'avatar',
  period: 'day',
  starts_at_ms: NOW_MS - DAY_MS / 2,
  ends_at_ms: NOW_MS + DAY_MS / 2,
  percent: 80,
  limit_micros: micros(300_000),
  used_micros: micros(250_000),
  pending_micros: micros(40_000),
  made_at_ms: NOW_MS - 1,
  due_at_ms: NOW_MS,
  told_at_ms: null,
};

test('an alert says which cap was reached, by which member, in which channel', async () => {
  const rules = await useRules();
  await rules.chose('1', '40');
  await rules.chose('2', '41');
  await rules.put('a');
  await rules.put('b', {
    guild_id: '2',
    target_kind: 'operator',
    target_id: '',
    user_id: '',
    capability: '',
    period: 'total',
    percent: 100,
    due_at_ms: NOW_MS - 1,
  });
  await rules.tell();
  const common = { limit: 300_000, posted: 210_000, pending: 40_000, madeAtMs: NOW_MS - 1, isRepeat: false };
  expect(rules.heard).toEqual([
    {
      ...common,
      id: 'b',
      channelId: '41',
      guildId: '2',
      target: { kind: 'operator' },
      userId: null,
      capability: null,
      period: 'total',
      percent: 100,
      resetsAtMs: null,
    },
    {
      ...common,
      id: 'a',
      channelId: '40',
      guildId: '1',
      target: { kind: 'member', userId: '7' },
      userId: '7',
      capability: 'avatar',
      period: 'day',
      percent: 80,
      resetsAtMs: NOW_MS + DAY_MS / 2,
    },
  ]);
  expect(await rules.tell()).toEqual([]);
  expect((await rules.row('a'))?.told_at_ms).toBe(NOW_MS);
});

/** When an alert was created, and whether it is sent. */
const AGES: readonly (readonly [string, Partial<NewBudgetAlert>, boolean])[] = [
  ['just made in an open window', {}, true],
  ['made long ago in an open window', { made_at_ms: NOW_MS - 2 * HOUR_MS }, true],
  [
    'an hour old, of a window that has just ended',
    { ends_at_ms: NOW_MS, made_at_ms: NOW_MS - HOUR_MS },
    true,
  ],
  ['older, of a window that has just ended', { ends_at_ms: NOW_MS, made_at_ms: NOW_MS - HOUR_MS - 1 }, false],
  [
    'older, in the last moment of its window',
    { ends_at_ms: NOW_MS + 1, made_at_ms: NOW_MS - 2 * HOUR_MS },
    true,
  ],
  ['made when its window ended', { ends_at_ms: NOW_MS, made_at_ms: NOW_MS }, false],
  ['made after its window ended', { ends_at_ms: NOW_MS - 5, made_at_ms: NOW_MS - 1 }, false],
  ['made just before its window ended', { ends_at_ms: NOW_MS - 5, made_at_ms: NOW_MS - 6 }, true],
  ['due a moment later', { due_at_ms: NOW_MS + 1 }, false],
];

test('an alert is sent while it is news, and closed then', async () => {
  const rules = await useRules();
  await rules.chose('1', '40');
  for (const [name, changes, isNews] of AGES) {
    await rules.clear();
    await rules.put('a', changes);
    expect([name, ...(await rules.tell())]).toEqual(isNews ? [name, 'a'] : [name]);
    // An alert that is no longer news is closed without being sent; an alert that is not due yet waits.
    const isLater = changes.due_at_ms !== undefined;
    expect([name, (await rules.row('a'))?.told_at_ms]).toEqual([name, isLater ? null : NOW_MS]);
  }
});

/** A second alert that also exists, and whether the first alert is still sent. */
const OTHERS: readonly (readonly [string, Partial<NewBudgetAlert>, boolean])[] = [
  ['more of the same', { percent: 100 }, false],
  ['more of the same, which was reported before', { percent: 100, told_at_ms: 1 }, false],
  ['less of the same', { percent: 50 }, true],
  ['more in another guild', { percent: 100, guild_id: '2' }, true],
  ['more of a role', { percent: 100, target_kind: 'role' }, true],
  ['more of another member', { percent: 100, target_id: '8' }, true],
  ['more by another member', { percent: 100, user_id: '8' }, true],
  ['more of another capability', { percent: 100, capability: 'lip_sync' }, true],
  ['more of another period', { percent: 100, period: 'week' }, true],
  ['more of another day', { percent: 100, starts_at_ms: 5 }, true],
];

test('an alert is sent unless the same cap reached more of its limit in the same window', async () => {
  const rules = await useRules();
  await rules.chose('1', '40');
  for (const [name, changes, isTold] of OTHERS) {
    await rules.clear();
    await rules.put('a');
    await rules.put('other', { due_at_ms: NOW_MS + HOUR_MS, ...changes });
    expect([name, ...(await rules.tell())]).toEqual(isTold ? [name, 'a'] : [name]);
  }
});

test('without a channel an alert waits for one while it is news', async () => {
  const rules = await useRules();
  await rules.put('a');
  await rules.put('late', { capability: 'lip_sync', ends_at_ms: NOW_MS + 5 });
  await rules.chose('2', '41');
  await rules.put('elsewhere', { guild_id: '2', due_at_ms: NOW_MS + HOUR_MS });
  expect(await rules.tell()).toEqual([]);
  expect(await rules.row('a')).toMatchObject({ told_at_ms: null, due_at_ms: AN_ALERT.ends_at_ms });
  expect(await rules.row('late')).toMatchObject({ told_at_ms: null, due_at_ms: NOW_MS + HOUR_MS });
  await rules.chose('1', '40');
  expect(await rules.tell()).toEqual([]);
  await rules.db.transaction('guild:1', (trx) => releaseAlerts(trx, '1', NOW_MS));
  expect([...(await rules.tell())].toSorted()).toEqual(['a', 'late']);
  expect(rules.heard.every(({ isRepeat }) => !isRepeat)).toBe(true);
});

test('an alert for a chat that is away is sent again later, as a repeat, and given up after fifty attempts', async () => {
  const rules = await useRules();
  await rules.chose('1', '40');
  await rules.put('a', { period: 'total', ends_at_ms: 8e15 });
  rules.answer = new Error('The chat is away');
  for (const tries of [1, 2, 49, 50]) {
    const attempts = tries - 1;
    await rules.db.kysely.updateTable('budget_alerts').set({ attempts }).execute();
    expect(await rules.tell()).toEqual(['a']);
    expect(rules.heard[0]?.isRepeat).toBe(tries > 1);
    const { told_at_ms: toldAtMs = 0, due_at_ms: dueAtMs = 0 } = (await rules.row('a')) ?? {};
    expect(toldAtMs !== null).toBe(tries === 50);
    const waitMs = dueAtMs - rules.clock.now();
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(600_000);
    expect(await rules.tell()).toEqual([]);
    await rules.clock.advance(waitMs);
  }
  await rules.clock.advance(DAY_MS);
  expect(await rules.tell()).toEqual([]);
});

test('a channel that refuses an alert is not tried again', async () => {
  const rules = await useRules();
  await rules.chose('1', '40');
  await rules.put('a');
  rules.answer = { outcome: 'refused', reason: 'channel_gone' };
  await rules.tell();
  await rules.clock.advance(DAY_MS / 4);
  expect(await rules.tell()).toEqual([]);
});

test('a sent alert is kept for ninety days after its window, and an open one for longer', async () => {
  const rules = await useRules();
  const longAgoMs = NOW_MS - 90 * DAY_MS;
  const old = { starts_at_ms: 1, ends_at_ms: longAgoMs - 1, made_at_ms: 1, told_at_ms: 1 };
  await rules.put('old', old);
  await rules.put('kept', { ...old, starts_at_ms: 2, ends_at_ms: longAgoMs });
  await rules.put('elsewhere', { ...old, guild_id: '2' });
  await rules.put('untold', { ...old, starts_at_ms: 3, told_at_ms: null, due_at_ms: NOW_MS + DAY_MS });
  await rules.chose('1', '40');
  await rules.put('a');
  await rules.tell();
  const rows = await rules.db.kysely.selectFrom('budget_alerts').select('id').execute();
  expect(rows.map(({ id }) => id).toSorted()).toEqual(['a', 'elsewhere', 'kept', 'untold']);
});
