import type { Generated, Insertable, Selectable } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';

/**
 * A charge far above its hold. The member's new jobs in that guild wait until a budget manager or the operator has
 * reviewed it. The review deletes the member's rows.
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
  /** When the guild's alert is due; null if it was sent, or if the jobs already waited because of an earlier charge. */
  alert_due_at_ms: number | null;
  alert_attempts: Generated<number>;
}

export type OverrunWatch = Selectable<OverrunWatchesTable>;
export type NewOverrunWatch = Insertable<OverrunWatchesTable>;
