import { expect, test } from 'vitest';
import {
  budgetAlertQueue,
  dropAlert,
  deleteClosedAlerts,
  hasHigherAlert,
  releaseAlerts,
} from '../../../../db/queries/budget-alerts.ts';
import { sumByGuild } from '../../../../db/queries/sum-by-guild.ts';
import { pageOpenHolds, sumOpenHolds } from '../../../../db/queries/holds.ts';
import {
  endOperatorAlert,
  findOpenOperatorAlert,
  operatorAlertQueue,
} from '../../../../db/queries/operator-alerts.ts';
import { getSettings } from '../../../../db/queries/settings.ts';
import type { BudgetAlertRow, OperatorAlertRow } from '../../../../db/schema/alerts.ts';
import { micros } from '../../../../src/base/money.ts';
import { slowSteps, useQueryPlans } from '../../../db/use-query-plans.ts';

const ALERT: BudgetAlertRow = {
  id: 'alert_a',
  guild_id: '1',
  target_kind: 'guild',
  target_id: '',
  user_id: '',
  capability: '',
  period: 'day',
  starts_at_ms: 0,
  ends_at_ms: 1,
  percent: 50,
  limit_micros: micros(2),
  used_micros: micros(1),
  pending_micros: micros(0),
  made_at_ms: 0,
  due_at_ms: 0,
  attempts: 0,
  told_at_ms: null,
};

const OPERATOR_ALERT: OperatorAlertRow = {
  id: 'alert_b',
  kind: 'low_balance',
  facts: '{}',
  made_at_ms: 0,
  due_at_ms: 0,
  attempts: 0,
  told_at_ms: null,
  over_at_ms: null,
};

test('frequent queries, and queries on the path of a job, read no whole table', async () => {
  const plans = await useQueryPlans();
  const claim = { nowMs: 1, leaseUntilMs: 2 };
  const plan = await plans.of(async (trx) => {
    await budgetAlertQueue.findDue(trx, 1);
    await budgetAlertQueue.nextDueAtMs(trx);
    await budgetAlertQueue.claim(trx, ALERT, claim);
    await hasHigherAlert(trx, ALERT, 100);
    await dropAlert(trx, ALERT.id);
    await releaseAlerts(trx, '1', 1);
    await deleteClosedAlerts(trx, '1', 1);
    await operatorAlertQueue.findDue(trx, 1);
    await operatorAlertQueue.nextDueAtMs(trx);
    await operatorAlertQueue.claim(trx, OPERATOR_ALERT, claim);
    await findOpenOperatorAlert(trx, 'low_balance');
    await endOperatorAlert(trx, 'low_balance', 1);
    await getSettings(trx, ['paused.everything', 'paused.guild.1']);
    await pageOpenHolds(trx, ['review'], { offset: 0, limit: 10 });
  });

  // The queries use only indexes on open rows, read from their start, and sort only the few holds with the same time.
  const isFine = /USING INDEX (budget_alerts_due|operator_alerts_due|holds_open)$|LAST TERM OF ORDER BY/;
  expect(slowSteps(plan).filter((step) => !isFine.test(step))).toEqual([]);
});

test('the sums of all guilds read only recent rows, and sums of holds only open ones', async () => {
  const plans = await useQueryPlans();
  const plan = await plans.of(async (trx) => {
    await sumByGuild(trx, { sinceMs: 1, limit: 10 });
    await sumOpenHolds(trx);
  });

  expect(plan.join('\n')).toMatch(/SEARCH spending USING PRIMARY KEY \(guild_id=\? AND slot_ms>\?\)/);
  expect(plan.filter((step) => /SCAN (spending|holds)$/.test(step))).toEqual([]);
});
