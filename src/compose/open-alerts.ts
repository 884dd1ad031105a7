import type { Database } from '../../db/database.ts';
import type { BudgetAlertRow } from '../../db/schema/alerts.ts';
import type { OverrunWatch } from '../../db/schema/overruns.ts';
import type { BudgetAlertChannel } from '../bot/money/alerts/budget-alert.ts';
import { budgetAlerts } from '../bot/money/alerts/budget-alerts.ts';
import type { OverrunAlertChannel } from '../bot/money/alerts/overrun-alert.ts';
import { overrunAlerts } from '../bot/money/alerts/overrun-alerts.ts';
import type { Outbox } from '../bot/money/alerts/outbox.ts';
import type { Ledger } from '../bot/money/ledger/ledger.ts';
import type { Basics } from './basics.ts';

/** The alerts for guild admins. */
export interface Alerts {
  readonly budgets: Outbox<BudgetAlertRow>;
  readonly overruns: Outbox<OverrunWatch>;
}

interface AlertsParts {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly channel: BudgetAlertChannel & OverrunAlertChannel;
}

/** Opens the alerts for guild admins. Nothing is sent before they are started. */
export function openAlerts({ owned, clock, log }: Basics, { db, ledger, channel }: AlertsParts): Alerts {
  return {
    budgets: owned.use(budgetAlerts({ db, clock, log, channel, ledger })),
    overruns: owned.use(overrunAlerts({ db, clock, log, channel })),
  };
}
