import type { Trx } from '../../../../db/schema.ts';
import type { MicroUsd } from '../../../base/money.ts';

/** The operator's pause that applies: one for all paid work, or one for a single guild. */
export type Paused = 'everything' | 'guild';

/** Decides whether paid work may start at all. Implemented in `src/bot/people/operator/operator-gate.ts`. */
export interface SpendingGate {
  /** Returns why new work for the guild is refused; null if it is not refused. Running work continues. */
  pausedBy(trx: Trx, guildId: string): Promise<Paused | null>;
  /** Whether the service account is known to hold less than `amount`. */
  isShort(trx: Trx, amount: MicroUsd): Promise<boolean>;
  /**
   * Reports to the operator that work for `amount` was refused, either because of `isShort` (`balance`) or by the
   * service (`service`).
   */
  wasShort(amount: MicroUsd, by: 'balance' | 'service'): void;
}
