import type { Insertable, Selectable } from 'kysely';

/** Files that a member chose as inputs with a menu or a button. */
export interface PicksTable {
  id: string;
  guild_id: string;
  user_id: string;
  /** JSON of the files, including their signed links. */
  files: string;
  made_at_ms: number;
}

export type PickRow = Selectable<PicksTable>;
export type NewPick = Insertable<PicksTable>;
