import type { Generated, Selectable } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';

/** The comparison of the books and the service at one time, for all guilds together. */
export interface ReconciliationsTable {
  id: Generated<number>;
  made_at_ms: number;
  /** 0 if the service's usage log had gaps. */
  is_complete: number;
  service_spent_micros: MicroUsd;
  service_balance_micros: MicroUsd;
  service_topped_up_micros: MicroUsd;
  /** The amount spent at the service before the books began. */
  spent_earlier_micros: MicroUsd;
  guilds_spent_micros: MicroUsd;
  guilds_pending_micros: MicroUsd;
  /** The known calls of other users of the account. */
  foreign_micros: MicroUsd;
  /** The service's total minus all of these amounts. */
  difference_micros: MicroUsd;
  /** The part of the difference that running work cannot explain. */
  drift_micros: MicroUsd;
  /** Holds whose charge may never be learned. */
  in_review: number;
  /** Usage records that cannot be judged yet. */
  undecided: number;
}

export type ReconciliationRow = Selectable<ReconciliationsTable>;
