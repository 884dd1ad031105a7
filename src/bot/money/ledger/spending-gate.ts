import type { Trx } from '../../../../db/schema.ts';
import type { MicroUsd } from '../../../base/money.ts';

/** Which pause by the operator applies: the one for all paid work, or the one for a single guild. */
export type Paused = 'everything' | 'guild';

/** Decides whether paid work may start at all. Implemented in `src/bot/people/operator/operator-gate.ts`. */
export interface SpendingGate {
  /** Returns the pause that forbids new work for the guild; null if there is none. Running work continues. */
  pausedBy(trx: Trx, guildId: string): Promise<Paused | null>;
  /** Whether the service account is known to hold less than `amount`. */
  isShort(trx: Trx, amount: MicroUsd): Promise<boolean>;
  /**
   * Reports to the operator that work for `amount` was refused, either because `isShort` returned true (`balance`) or
   * because the service refused it (`service`).
   */
  wasShort(amount: MicroUsd, by: 'balance' | 'service'): void;
}
