import type { Generated, Selectable } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';
import type { CapPeriod } from './caps.ts';

/** A member's use of a capability in one quarter of an hour (UTC), by the time of the hold. */
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
 * A running sum of `spending` in one window: of a guild or one member (empty `user_id`: all), of one capability or
 * (empty) all. Created when a cap first needs it.
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
