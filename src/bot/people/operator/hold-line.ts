import type { HoldState } from '../../../../db/schema/ledger.ts';
import type { MicroUsd } from '../../../base/money.ts';

/** An open hold. */
export interface HoldLine {
  readonly subject: string;
  readonly guildId: string;
  readonly guildName: string | null;
  readonly capability: string;
  readonly amount: MicroUsd;
  readonly state: HoldState;
  readonly heldAtMs: number;
  /** Usage records that may belong to this hold; the operator decides which one does. */
  readonly records: readonly SuggestedRecord[];
}

/** A record in the service's usage log that may belong to a hold, or to other use of the account. */
export interface SuggestedRecord {
  readonly id: string;
  readonly charged: MicroUsd;
  readonly recordedAtMs: number;
}
