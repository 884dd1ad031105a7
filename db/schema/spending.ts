import type { Generated, Selectable } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';
import type { CapPeriod } from './caps.ts';

/**
 * The sums of the holds made for one member and capability in one quarter of an hour (UTC), and of their charges.
 */
export interface SpendingTable {
  guild_id: string;
  slot_ms: number;
  user_id: string;
  capability: string;
  posted_micros: Generated<MicroUsd>;
  pending_micros: Generated<MicroUsd>;
  overrun_micros: Generated<MicroUsd>;
}

/**
 * A running sum over `spending` in one window. An empty `user_id` means all members, and an empty `capability` all
 * capabilities. A row is created when a cap first needs it.
 */
export interface MetersTable {
  guild_id: string;
  user_id: string;
  capability: string;
  period: CapPeriod;
  starts_at_ms: number;
  ends_at_ms: number;
  posted_micros: Generated<MicroUsd>;
  pending_micros: Generated<MicroUsd>;
  overrun_micros: Generated<MicroUsd>;
}

export type MeterRow = Selectable<MetersTable>;
