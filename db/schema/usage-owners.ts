import type { MicroUsd } from '../../src/base/money.ts';

/** Whose call a record of the service's usage log is, where no id proves it. */
export interface UsageOwnersTable {
  record_id: string;
  /** The hold that the record belongs to; null: the call is not ours. */
  subject: string | null;
  /** The operator who decided; null: the comparison did, because nothing else was possible. */
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
