import type { Generated, Insertable, Selectable } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';
import type { CapPeriod, CapTargetKind } from './caps.ts';

export type AlertPercent = 50 | 80 | 100;

/** `default` is the operator's budget for guilds that have none of their own. */
type AlertTargetKind = CapTargetKind | 'default';

/** An alert that the use of a cap has reached a percentage of its limit in a window. It is sent once. */
export interface BudgetAlertsTable {
  id: string;
  guild_id: string;
  target_kind: AlertTargetKind;
  target_id: string;
  /** The member whose spending reached the percentage, for caps on roles and members; otherwise empty. */
  user_id: string;
  capability: string;
  period: CapPeriod;
  starts_at_ms: number;
  ends_at_ms: number;
  percent: AlertPercent;
  limit_micros: MicroUsd;
  /** The sum of the amounts that are charged and set aside. */
  used_micros: MicroUsd;
  /** The portion of `used_micros` that is only set aside. */
  pending_micros: MicroUsd;
  made_at_ms: number;
  due_at_ms: number;
  attempts: Generated<number>;
  told_at_ms: number | null;
}

export type OperatorAlertKind =
  | 'low_balance'
  | 'account_empty'
  | 'key_refused'
  | 'other_use'
  | 'overrun'
  | 'charged_failure';

/**
 * An alert to the operator, which is sent once. A new alert of the same kind is stored only after this one has ended or
 * is a day old. The new alert ends the old one, so at most one alert of each kind has not ended.
 */
export interface OperatorAlertsTable {
  id: string;
  kind: OperatorAlertKind;
  /** JSON of the amounts that the alert mentions. */
  facts: string;
  made_at_ms: number;
  due_at_ms: number;
  attempts: Generated<number>;
  told_at_ms: number | null;
  over_at_ms: number | null;
}

export type BudgetAlertRow = Selectable<BudgetAlertsTable>;
export type OperatorAlertRow = Selectable<OperatorAlertsTable>;
export type NewBudgetAlert = Insertable<BudgetAlertsTable>;
