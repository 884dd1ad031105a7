import type { Migration } from '../migration.ts';

/**
 * Adds the files that members choose as inputs with a menu or a button, and an index for finding the job of a result's
 * message.
 */
export const migration0006: Migration = {
  number: 6,
  name: 'picks',
  statements: [
    `CREATE TABLE picks (
  id TEXT PRIMARY KEY,
  guild_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  files TEXT NOT NULL,
  made_at_ms INTEGER NOT NULL
) STRICT`,
    `CREATE INDEX picks_of_user ON picks (user_id, made_at_ms)`,
    `CREATE INDEX picks_by_age ON picks (made_at_ms)`,
    `CREATE INDEX jobs_by_result_message ON jobs (result_message_id) WHERE result_message_id IS NOT NULL`,
  ],
};
