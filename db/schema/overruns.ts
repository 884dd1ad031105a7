import type { Generated, Insertable, Selectable } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';

/**
 * A charge far above its hold. Until an admin or the operator has looked at it, the member's new jobs in that guild
 * wait; then their rows are deleted.
 */
export interface OverrunWatchesTable {
  guild_id: string;
  user_id: string;
  /** The job or session that was charged. */
  subject: string;
  capability: string;
  held_micros: MicroUsd;
  charged_micros: MicroUsd;
  made_at_ms: number;
  /** When the guild is to be told in its alerts channel; null: it was, or an earlier charge began the wait. */
  alert_due_at_ms: number | null;
  alert_attempts: Generated<number>;
}

export type OverrunWatch = Selectable<OverrunWatchesTable>;
export type NewOverrunWatch = Insertable<OverrunWatchesTable>;
