import type { Generated, Selectable } from 'kysely';

export type RemovalKind = 'member' | 'guild';

/** Data that shall go; `secret` makes the pseudonyms and goes with the row. */
export interface RemovalsTable {
  kind: RemovalKind;
  subject_id: string;
  secret: string;
  requested_at_ms: number;
  due_at_ms: number;
  attempts: Generated<number>;
}

export type RemovalRow = Selectable<RemovalsTable>;
