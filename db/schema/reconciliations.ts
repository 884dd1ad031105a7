import type { Generated, Selectable } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';

/** How the books and the service compared at a moment, of all guilds together. */
export interface ReconciliationsTable {
  id: Generated<number>;
  made_at_ms: number;
  /** 0: the service's usage log had gaps. */
  is_complete: number;
  service_spent_micros: MicroUsd;
  service_balance_micros: MicroUsd;
  service_topped_up_micros: MicroUsd;
  /** At the service, before the books began. */
  spent_earlier_micros: MicroUsd;
  guilds_spent_micros: MicroUsd;
  guilds_pending_micros: MicroUsd;
  /** What others used of the account, call by call. */
  foreign_micros: MicroUsd;
  /** What the service's total is above all of these. */
  difference_micros: MicroUsd;
  /** The part of it that work under way cannot explain. */
  drift_micros: MicroUsd;
  /** Holds whose charge may never be learned. */
  in_review: number;
  /** Usage records that nothing can be said about yet. */
  undecided: number;
}

export type ReconciliationRow = Selectable<ReconciliationsTable>;
