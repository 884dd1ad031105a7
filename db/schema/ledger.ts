import type { Generated, Selectable } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';

export type HoldState = 'pending' | 'posted' | 'voided' | 'review';

/** An amount set aside for a subject (a job or a session). `charged_micros` includes `overrun_micros`. */
export interface HoldsTable {
  subject: string;
  guild_id: string;
  user_id: string;
  /** The member's roles that had caps, joined by commas. A change to the amount must respect those caps, too. */
  role_ids: Generated<string>;
  capability: string;
  amount_micros: MicroUsd;
  state: HoldState;
  charged_micros: Generated<MicroUsd>;
  overrun_micros: Generated<MicroUsd>;
  /** When the charge in `charged_micros` was learned from the service. */
  charged_as_of_ms: number | null;
  /**
   * The quarter of an hour (UTC) that contains `created_at_ms`. All amounts of the hold count in this quarter of an
   * hour, whenever they are booked.
   */
  slot_ms: number;
  /** JSON of the quote that the amount was computed from. */
  rate_card: string;
  created_at_ms: number;
  resolved_at_ms: number | null;
}

export type EntryKind = 'hold' | 'charge' | 'overrun' | 'release' | 'adjustment' | 'foreign';

/**
 * The first four accounts belong to a guild; for foreign use of the service account, `service` pays into
 * `unattributed`.
 */
export type Account = 'budget' | 'pending' | 'spent' | 'overrun' | 'service' | 'unattributed';

/** A transfer: `amount_micros` leaves `credit_account` and enters `debit_account`. */
export interface LedgerEntriesTable {
  id: Generated<number>;
  subject: string;
  kind: EntryKind;
  guild_id: string;
  slot_ms: number;
  debit_account: Account;
  credit_account: Account;
  amount_micros: MicroUsd;
  /** The entry that an adjustment corrects. */
  corrects: number | null;
  created_at_ms: number;
}

export type HoldRow = Selectable<HoldsTable>;
export type EntryRow = Selectable<LedgerEntriesTable>;
