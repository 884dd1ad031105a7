import type { CapPeriod } from '../../../../db/schema/caps.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { Budget } from './budget.ts';

/** So much in each period. */
export interface Amount {
  readonly limit: MicroUsd;
  readonly period: CapPeriod;
}

/** What the operator decides for guilds of which nothing else is said: their budget, and what they cannot go above. */
export interface UsualCaps extends Budget {
  /** Null: nothing keeps the admins of a guild. */
  readonly allowance: Amount | null;
}
