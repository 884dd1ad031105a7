import { describe, expect, test } from 'vitest';
import type { AlertQueue } from '../../db/queries/alert-queue.ts';
import { budgetAlertQueue } from '../../db/queries/budget-alerts.ts';
import { operatorAlertQueue } from '../../db/queries/operator-alerts.ts';
import { overrunAlertQueue } from '../../db/queries/overrun-alerts.ts';
import type { Queryable } from '../../db/schema.ts';
import { micros } from '../../src/base/money.ts';
import { useDatabase } from './use-database.ts';

const MADE = { guild_id: '1', user_id: '7', capability: 'avatar', made_at_ms: 0 };

async function insertBudgetAlert(db: Queryable, id: string, dueAtMs: number): Promise<void> {
  const window = { period: 'day', starts_at_ms: dueAtMs, ends_at_ms: dueAtMs + 1, percent: 50 } as const;
  const amounts = { limit_micros: micros(2), used_micros: micros(1), pending_micros: micros(0) };
  const target = { target_kind: 'guild', target_id: '' } as const;
  const row = { ...MADE, ...window, ...amounts, ...target, id, due_at_ms: dueAtMs, told_at_ms: null };
  await db.insertInto('budget_alerts').values(row).execute();
}

async function insertOperatorAlert(db: Queryable, id: string, dueAtMs: number): Promise<void> {
  const times = { made_at_ms: 0, due_at_ms: dueAtMs, told_at_ms: null, over_at_ms: 1 };
  const row = { id, kind: 'low_balance', facts: '{}', ...times } as const;
  await db.insertInto('operator_alerts').values(row).execute();
}

async function insertWatch(db: Queryable, subject: string, dueAtMs: number): Promise<void> {
  const amounts = { held_micros: micros(1), charged_micros: micros(3) };
  const row = { ...MADE, ...amounts, subject, alert_due_at_ms: dueAtMs };
  await db.insertInto('overrun_watches').values(row).execute();
}

/** Declares the tests that every alert queue must pass. */
function describeQueue<Row>(
  name: string,
  queue: AlertQueue<Row>,
  insert: (db: Queryable, key: string, dueAtMs: number) => Promise<void>,
): void {
  describe(`the queue of ${name}`, () => {
    test('gives the alert that has been due for the longest time, to one process at a time', async () => {
      const db = await useDatabase();
      await insert(db.kysely, 'later', 20);
      await insert(db.kysely, 'first', 10);
      expect(await queue.findDue(db.kysely, 9)).toBeUndefined();
      const due = await queue.findDue(db.kysely, 20);
      if (!due) throw new Error('No alert is due');
      expect(Object.values(due)).toContain('first');

      const claim = { nowMs: 20, leaseUntilMs: 80 };
      const claims = await Promise.all(
        [1, 2].map(() => db.transaction('rows', (trx) => queue.claim(trx, due, claim))),
      );

      expect(claims.map((claimed) => claimed?.attempts)).toEqual([1, undefined]);
      expect(await queue.nextDueAtMs(db.kysely)).toBe(20);
      expect(await queue.findDue(db.kysely, 19)).toBeUndefined();
    });

    test('defers, rests and closes an alert for the last process that claimed it', async () => {
      const db = await useDatabase();
      await insert(db.kysely, 'only', 10);
      const claimAt = async (nowMs: number) => {
        const due = await queue.findDue(db.kysely, nowMs);
        const claim = { nowMs, leaseUntilMs: nowMs + 60 };
        return due && db.transaction('rows', (trx) => queue.claim(trx, due, claim));
      };
      const stale = await claimAt(10);
      const second = await claimAt(70);
      if (!stale || !second) throw new Error('Cannot claim the alert');
      expect([stale.attempts, second.attempts]).toEqual([1, 2]);

      await queue.close(db.kysely, stale, 71);
      expect(await queue.nextDueAtMs(db.kysely)).toBe(130);
      await queue.defer(db.kysely, second, 200);
      expect(await queue.nextDueAtMs(db.kysely)).toBe(200);
      await queue.rest(db.kysely, second, 300);
      const third = await claimAt(300);
      expect(third?.attempts).toBe(1);
      if (third) await queue.close(db.kysely, third, 301);
      expect(await queue.nextDueAtMs(db.kysely)).toBeUndefined();
      expect(await claimAt(1_000)).toBeUndefined();
    });
  });
}

describeQueue('budget alerts', budgetAlertQueue, insertBudgetAlert);
describeQueue('operator alerts', operatorAlertQueue, insertOperatorAlert);
describeQueue('overrun alerts', overrunAlertQueue, insertWatch);
