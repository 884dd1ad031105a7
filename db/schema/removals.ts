import type { Generated, Selectable } from 'kysely';

export type RemovalKind = 'member' | 'guild';

/** Data that must be removed. `secret` creates the pseudonyms and is deleted with the row. */
export interface RemovalsTable {
  kind: RemovalKind;
  subject_id: string;
  secret: string;
  requested_at_ms: number;
  due_at_ms: number;
  attempts: Generated<number>;
}

/**
 * A member whose data was removed and whose limits in a guild still count. Rows under `pseudonym` hold their use in
 * windows that have not ended. At `due_at_ms` the caretaker checks which of these windows are over.
 */
export interface GoneMembersTable {
  guild_id: string;
  pseudonym: string;
  due_at_ms: number;
}

export type GoneMemberRow = Selectable<GoneMembersTable>;
export type RemovalRow = Selectable<RemovalsTable>;
