import type { ReconciliationRow } from '../../../../db/schema/reconciliations.ts';
import { type MicroUsd, addMicros, micros } from '../../../base/money.ts';
import type { BookTotals, Figures, ServiceTotals } from './figures.ts';

/** The result of one comparison of the books with the service, for all guilds together. */
export interface Report extends Figures {
  readonly madeAtMs: number;
  /** False if the service's usage log had gaps. In that case, decisions that a gap could affect were postponed. */
  readonly isComplete: boolean;
  readonly service: ServiceTotals;
  /** The amount spent at the service before the books began. */
  readonly spentEarlier: MicroUsd;
  readonly books: BookTotals;
  /** Holds whose charge may never be learned. */
  readonly inReview: number;
  /** Usage records that cannot be judged yet. */
  readonly undecided: number;
}

/** Returns the foreign use of the account: the known calls and the unexplained difference. */
export function otherUse({ books, drift }: Pick<Report, 'books' | 'drift'>): MicroUsd {
  return addMicros(books.foreign, micros(Math.abs(drift)));
}

export function toRow(report: Report): Omit<ReconciliationRow, 'id'> {
  return {
    made_at_ms: report.madeAtMs,
    is_complete: report.isComplete ? 1 : 0,
    service_spent_micros: report.service.spent,
    service_balance_micros: report.service.balance,
    service_topped_up_micros: report.service.toppedUp,
    spent_earlier_micros: report.spentEarlier,
    guilds_spent_micros: report.books.spent,
    guilds_pending_micros: report.books.pending,
    foreign_micros: report.books.foreign,
    difference_micros: report.difference,
    drift_micros: report.drift,
    in_review: report.inReview,
    undecided: report.undecided,
  };
}

export function fromRow(row: ReconciliationRow): Report {
  const service = {
    spent: row.service_spent_micros,
    balance: row.service_balance_micros,
    toppedUp: row.service_topped_up_micros,
  };
  return {
    madeAtMs: row.made_at_ms,
    isComplete: row.is_complete === 1,
    service,
    spentEarlier: row.spent_earlier_micros,
    books: {
      spent: row.guilds_spent_micros,
      pending: row.guilds_pending_micros,
      foreign: row.foreign_micros,
    },
    difference: row.difference_micros,
    drift: row.drift_micros,
    heldAtService: micros(service.toppedUp - service.balance - service.spent),
    inReview: row.in_review,
    undecided: row.undecided,
  };
}
