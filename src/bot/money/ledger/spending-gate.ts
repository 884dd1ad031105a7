import type { Trx } from '../../../../db/schema.ts';
import type { MicroUsd } from '../../../base/money.ts';

/** The work that the operator has paused. */
export type Paused = 'everything' | 'guild';

/** Decides whether paid work may start at all. Implemented in `src/bot/people/operator/operator-gate.ts`. */
export interface SpendingGate {
  /** Returns why new work of the guild is refused; null if it is not. Running work continues. */
  pausedBy(trx: Trx, guildId: string): Promise<Paused | null>;
  /** Whether the account at the service is known to hold less than `amount`. */
  isShort(trx: Trx, amount: MicroUsd): Promise<boolean>;
  /**
   * Reports to the operator that work for `amount` was refused, either because of `isShort` (`balance`) or by the
   * service.
   */
  wasShort(amount: MicroUsd, by: 'balance' | 'service'): void;
}
