import type { MicroUsd } from '../../src/base/money.ts';

/**
 * The owner that was decided for a record in the service's usage log. Only records that no id links to a call need
 * such a decision.
 */
export interface UsageOwnersTable {
  record_id: string;
  /** The hold that the record belongs to; null if another user of the service account made the call. */
  subject: string | null;
  /** The operator who decided; null if reconciliation decided, because there was only one possible owner. */
  decided_by: string | null;
  decided_at_ms: number;
}

/** A usage record that may belong to the call of an open hold. The operator decides. */
export interface UsageSuggestionsTable {
  subject: string;
  record_id: string;
  charged_micros: MicroUsd;
  /** When the record was made, according to the service. */
  recorded_at_ms: number;
}
