import { appendEntries } from '../../../../db/queries/ledger-entries.ts';
import { findForeign } from '../../../../db/queries/foreign-use.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { Clock } from '../../../base/clock.ts';
import { type MicroUsd, ZERO, micros, subtractMicros } from '../../../base/money.ts';
import { slotOf } from '../caps/slot-of.ts';

/** A call at the service that is not ours, as its usage log shows it. */
export interface ForeignCall {
  readonly recordId: string;
  readonly charged: MicroUsd;
  readonly createdAtMs: number;
}

/** The subject of the entries of a foreign call. */
export function foreignSubject(recordId: string): string {
  return `usage:${recordId}`;
}

/**
 * The amounts that other users of the account spent at the service. They are booked beside the guilds' money, never
 * against a guild. Every method runs in the caller's transaction (scope `account`) and is harmless to repeat.
 */
export class ForeignUse {
  readonly #clock: Clock;

  constructor(options: { readonly clock: Clock }) {
    this.#clock = options.clock;
  }

  /**
   * Makes the books show `charged` for the call. The amount 0 takes back what was booked, once the call is known to be
   * ours. Returns the difference that was booked. Throws `RangeError` for a negative charge.
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
