import type { CapPeriod } from '../../../../db/schema/caps.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { Budget } from './budget.ts';

/** An amount per period. */
export interface Amount {
  readonly limit: MicroUsd;
  readonly period: CapPeriod;
}

/**
 * The operator's defaults: the budget for guilds whose admins set none, and the allowance that admins cannot exceed.
 */
export interface UsualCaps extends Budget {
  /** Null if admins may set budgets of any size. */
  readonly allowance: Amount | null;
}
