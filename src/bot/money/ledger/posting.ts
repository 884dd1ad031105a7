import type { TotalsChange } from '../../../../db/queries/spending.ts';
import type { Account, EntryKind, HoldRow } from '../../../../db/schema/ledger.ts';
import { type MicroUsd, ZERO, addMicros, micros, subtractMicros } from '../../../base/money.ts';

/**
 * The entries that change the charge of a hold to `charged`. `overrun` is the part of `charged` that the hold does not
 * cover.
 */
export interface Posting {
  readonly charged: MicroUsd;
  readonly overrun: MicroUsd;
  readonly totals: TotalsChange;
  readonly transfers: readonly Transfer[];
}

/** `amount_micros` (above zero) leaves the credit account and enters the debit account. */
export interface Transfer {
  readonly kind: EntryKind;
  readonly debit_account: Account;
  readonly credit_account: Account;
  readonly amount_micros: MicroUsd;
}

type HoldAmounts = Pick<HoldRow, 'amount_micros' | 'charged_micros' | 'overrun_micros'>;

/**
 * Plans the entries that replace an open hold with its charge: the covered amount, the freed amount and the overrun.
 */
export function planCharge(hold: HoldAmounts, charged: MicroUsd): Posting {
  const held = hold.amount_micros;
  const covered = micros(Math.min(held, charged));
  const overrun = subtractMicros(charged, covered);
  return {
    charged,
    overrun,
    totals: { posted: charged, pending: 0 - held, overrun },
    transfers: [
      ...transfer('charge', 'pending', 'spent', covered),
      ...transfer('release', 'pending', 'budget', subtractMicros(held, covered)),
      ...transfer('overrun', 'overrun', 'spent', overrun),
    ],
  };
}

/** Plans the entries that change the amount of an open hold. */
export function planResize(hold: HoldAmounts, amount: MicroUsd): readonly Transfer[] {
  const more = micros(Math.max(0, amount - hold.amount_micros));
  const less = micros(Math.max(0, hold.amount_micros - amount));
  return [
    ...transfer('adjustment', 'budget', 'pending', more),
    ...transfer('adjustment', 'pending', 'budget', less),
  ];
}

/** Plans the entries that free an open hold. */
export function planRelease(hold: HoldAmounts): Posting {
  return {
    charged: ZERO,
    overrun: ZERO,
    totals: { posted: 0, pending: 0 - hold.amount_micros, overrun: 0 },
    transfers: transfer('release', 'pending', 'budget', hold.amount_micros),
  };
}

/**
 * Plans the entries that change the charge of a resolved hold. The amount that the hold freed may already be used
 * elsewhere, so an increase is booked as overrun. A decrease first reduces the overrun.
 */
export function planAdjustment(hold: HoldAmounts, charged: MicroUsd): Posting {
  const more = micros(Math.max(0, charged - hold.charged_micros));
  const less = micros(Math.max(0, hold.charged_micros - charged));
  const lessOverrun = micros(Math.min(less, hold.overrun_micros));
  return {
    charged,
    overrun: subtractMicros(addMicros(hold.overrun_micros, more), lessOverrun),
    totals: { posted: more - less, pending: 0, overrun: more - lessOverrun },
    transfers: [
      ...transfer('adjustment', 'overrun', 'spent', more),
      ...transfer('adjustment', 'spent', 'overrun', lessOverrun),
      ...transfer('adjustment', 'spent', 'budget', subtractMicros(less, lessOverrun)),
    ],
  };
}

function transfer(kind: EntryKind, from: Account, to: Account, amount: MicroUsd): readonly Transfer[] {
  if (amount === 0) return [];
  return [{ kind, credit_account: from, debit_account: to, amount_micros: amount }];
}
