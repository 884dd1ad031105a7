import type { Trx } from '../../../../db/schema.ts';
import type { MicroUsd } from '../../../base/money.ts';

/** What the operator has paused. */
export type Paused = 'everything' | 'guild';

/** Whether paid work may begin at all, whoever asks for it. Implemented in `src/bot/people/operator/operator-gate.ts`. */
export interface SpendingGate {
  /** What keeps new work of the guild from being taken on; null: nothing. What is under way goes on. */
  pausedBy(trx: Trx, guildId: string): Promise<Paused | null>;
  /** Whether the service's account is known to hold less than `amount`. */
  isShort(trx: Trx, amount: MicroUsd): Promise<boolean>;
  /** Work that costs `amount` was refused because of `isShort`, or by the service itself: the operator is told. */
  wasShort(amount: MicroUsd, by: 'balance' | 'service'): void;
}
