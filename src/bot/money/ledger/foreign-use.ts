import { appendEntries } from '../../../../db/queries/ledger-entries.ts';
import { findForeign } from '../../../../db/queries/foreign-use.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { Clock } from '../../../base/clock.ts';
import { type MicroUsd, ZERO, micros, subtractMicros } from '../../../base/money.ts';
import { slotOf } from '../caps/slot-of.ts';

/** A call to the service that the usage log shows but this bot did not make. */
export interface ForeignCall {
  readonly recordId: string;
  readonly charged: MicroUsd;
  readonly createdAtMs: number;
}

/** Returns the subject under which a foreign call is booked. */
export function foreignSubject(recordId: string): string {
  return `usage:${recordId}`;
}

/**
 * Books what other users of the service account spent. These amounts never count against a guild. Every method runs in
 * the caller's transaction (scope `account`), and a repeated call changes nothing more.
 */
export class ForeignUse {
  readonly #clock: Clock;

  constructor(options: { readonly clock: Clock }) {
    this.#clock = options.clock;
  }

  /**
   * Books `charged` as the call's total, whatever was booked for the call before. 0 reverses the booking of a call that
   * turned out to be ours. Returns the booked difference. Throws `RangeError` for a negative charge.
   */
  async book(trx: Trx, call: ForeignCall): Promise<MicroUsd> {
    if (micros(call.charged) < 0) throw new RangeError('Cannot book a negative charge');
    const subject = foreignSubject(call.recordId);
    const booked = await findForeign(trx, subject);
    const change = subtractMicros(call.charged, booked?.amount ?? ZERO);
    if (change === 0) return ZERO;
    await appendEntries(trx, [
      {
        subject,
        kind: booked ? 'adjustment' : 'foreign',
        guild_id: '',
        slot_ms: slotOf(call.createdAtMs),
        credit_account: change > 0 ? 'service' : 'unattributed',
        debit_account: change > 0 ? 'unattributed' : 'service',
        amount_micros: micros(Math.abs(change)),
        corrects: booked?.lastEntryId ?? null,
        created_at_ms: this.#clock.now(),
      },
    ]);
    return change;
  }
}
