import { type MicroUsd, micros } from '../../../../src/base/money.ts';
import type { Budget } from '../../../../src/bot/money/caps/budget.ts';
import type { HoldRequest } from '../../../../src/bot/money/ledger/ledger.ts';

/** One dollar per day, in UTC. */
export const DOLLAR_A_DAY: Budget = { limit: micros(1_000_000), period: 'day', timeZone: 'UTC' };

/** Creates a hold of `amount` for `subject` in the guild `guild`. */
export function aHold(subject: string, amount: MicroUsd): HoldRequest {
  return {
    subject,
    guildId: 'guild',
    userId: 'user',
    roleIds: [],
    capability: 'photo_swap',
    amount,
    rateCard: '{}',
  };
}
