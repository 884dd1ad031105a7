import type { MicroUsd } from '../../src/base/money.ts';

/** The decided owner of a record of the service's usage log, for records that no id matches to a call. */
export interface UsageOwnersTable {
  record_id: string;
  /** The hold that the record belongs to; null if another user of the account made the call. */
  subject: string | null;
  /** The operator who decided; null if reconciliation decided, because only one owner was possible. */
  decided_by: string | null;
  decided_at_ms: number;
}

/** A usage record that may be the call of an open hold. The operator decides. */
export interface UsageSuggestionsTable {
  subject: string;
  record_id: string;
  charged_micros: MicroUsd;
  /** When the service dated the record. */
  recorded_at_ms: number;
}
