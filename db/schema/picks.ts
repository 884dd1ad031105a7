import type { Insertable, Selectable } from 'kysely';

/** A file that a member chose as an input by a menu or button. */
export interface PicksTable {
  id: string;
  guild_id: string;
  user_id: string;
  /** JSON of the files, signed links included. */
  files: string;
  made_at_ms: number;
}

export type PickRow = Selectable<PicksTable>;
export type NewPick = Insertable<PicksTable>;
