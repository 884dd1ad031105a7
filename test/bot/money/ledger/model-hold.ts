import type { HoldState } from '../../../../db/schema/ledger.ts';

/** A hold, as the models of the books represent it. */
export interface ModelHold {
  readonly atMs: number;
  readonly userId: string;
  readonly capability: string;
  readonly roleIds: readonly string[];
  amount: number;
  state: HoldState;
  charged: number;
  overrun: number;
  asOfMs: number | null;
}

export function newHold(
  begun: Pick<ModelHold, 'atMs' | 'userId' | 'capability' | 'roleIds' | 'amount'>,
): ModelHold {
  return { ...begun, state: 'pending', charged: 0, overrun: 0, asOfMs: null };
}

export function isOpen({ state }: ModelHold): boolean {
  return state === 'pending' || state === 'review';
}

/** Books a charge that was learned at `asOfMs`. */
export function post(hold: ModelHold, charged: number, asOfMs: number): void {
  if (isOpen(hold)) {
    hold.state = 'posted';
    hold.overrun = Math.max(0, charged - hold.amount);
  } else {
    if (hold.asOfMs !== null && asOfMs < hold.asOfMs) return;
    const change = charged - hold.charged;
    hold.overrun = change > 0 ? hold.overrun + change : Math.max(0, hold.overrun + change);
  }
  hold.charged = charged;
  hold.asOfMs = asOfMs;
}

/**
 * Returns how much the holds from `fromMs` to `endsAtMs` use, for one capability or all (''), and for one member or all
 * (null).
 */
export function usedWithin(
  holds: Iterable<ModelHold>,
  of: {
    readonly fromMs: number;
    readonly endsAtMs: number;
    readonly capability: string;
    readonly userId: string | null;
  },
): number {
  let used = 0;
  for (const hold of holds) {
    const isIn = of.fromMs <= hold.atMs && hold.atMs < of.endsAtMs;
    const isIts = of.capability === '' || of.capability === hold.capability;
    if (isIn && isIts && (of.userId === null || of.userId === hold.userId)) {
      used += isOpen(hold) ? hold.amount : hold.charged;
    }
  }
  return used;
}
