import type { Trx } from '../../../../db/schema.ts';
import type { MicroUsd } from '../../../base/money.ts';

/** The work that the operator has paused. */
export type Paused = 'everything' | 'guild';

/** Whether paid work may start at all, for any caller. Implemented in `src/bot/people/operator/operator-gate.ts`. */
export interface SpendingGate {
  /** The reason to refuse new work of the guild; null if there is none. Running work continues. */
  pausedBy(trx: Trx, guildId: string): Promise<Paused | null>;
  /** Whether the service's account is known to hold less than `amount`. */
  isShort(trx: Trx, amount: MicroUsd): Promise<boolean>;
  /**
   * Reports to the operator that work that costs `amount` was refused because of `isShort` or by the service itself.
   */
  wasShort(amount: MicroUsd, by: 'balance' | 'service'): void;
}
