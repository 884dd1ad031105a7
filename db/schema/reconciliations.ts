import type { Generated, Selectable } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';

/** One comparison of the books with the service, for all guilds together. */
export interface ReconciliationsTable {
  id: Generated<number>;
  made_at_ms: number;
  /** 1, or 0 if the service's usage log had gaps. */
  is_complete: number;
  service_spent_micros: MicroUsd;
  service_balance_micros: MicroUsd;
  service_topped_up_micros: MicroUsd;
  /** The amount spent at the service before the books began. */
  spent_earlier_micros: MicroUsd;
  guilds_spent_micros: MicroUsd;
  guilds_pending_micros: MicroUsd;
  /** The amount of the known calls by other users of the service account. */
  foreign_micros: MicroUsd;
  /**
   * The service's total minus three amounts: what was spent before the books began, what guilds spent, and what other
   * users of the service account spent.
   */
  difference_micros: MicroUsd;
  /** The portion of the difference that running work cannot explain. */
  drift_micros: MicroUsd;
  /** The number of holds whose charge may never be learned. */
  in_review: number;
  /** The number of usage records that cannot be assigned yet. */
  undecided: number;
}

export type ReconciliationRow = Selectable<ReconciliationsTable>;
