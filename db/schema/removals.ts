import type { Generated, Selectable } from 'kysely';

export type RemovalKind = 'member' | 'guild';

/** A request to remove data. The pseudonyms are derived from `secret`, which is deleted with the row. */
export interface RemovalsTable {
  kind: RemovalKind;
  subject_id: string;
  secret: string;
  requested_at_ms: number;
  due_at_ms: number;
  attempts: Generated<number>;
}

/**
 * A member whose data has been removed and whose earlier spending still counts against limits in a guild. The spending
 * is stored under `pseudonym` until the limits' windows end. At `due_at_ms` the bot checks which windows have ended.
 */
export interface GoneMembersTable {
  guild_id: string;
  pseudonym: string;
  due_at_ms: number;
}

export type GoneMemberRow = Selectable<GoneMembersTable>;
export type RemovalRow = Selectable<RemovalsTable>;
