import type { CapPeriod } from '../../../../db/schema/caps.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { Budget } from './budget.ts';

/** An amount for each period. */
export interface Amount {
  readonly limit: MicroUsd;
  readonly period: CapPeriod;
}

/** The operator's decisions for guilds without their own: their budget, and the limit that admins cannot exceed. */
export interface UsualCaps extends Budget {
  /** Null if the admins of a guild have no limit. */
  readonly allowance: Amount | null;
}
