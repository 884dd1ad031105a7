import type { Migration } from '../migration.ts';

/** Adds smaller copies of results for the chat, a mark for jobs that the member cancelled or deleted, and reports. */
export const migration0004: Migration = {
  number: 4,
  name: 'results',
  statements: [
    `ALTER TABLE jobs ADD COLUMN chat_path TEXT`,
    `ALTER TABLE jobs ADD COLUMN chat_mime TEXT`,
    `ALTER TABLE jobs ADD COLUMN undelivered TEXT`,
    `ALTER TABLE jobs ADD COLUMN taken_back TEXT CHECK (taken_back IN ('cancelled', 'deleted'))`,
    `CREATE INDEX jobs_of_guild ON jobs (guild_id, accepted_at_ms) WHERE stage <> 'abandoned'`,
    `CREATE INDEX jobs_of_member ON jobs (guild_id, user_id, accepted_at_ms) WHERE stage <> 'abandoned'`,
    `CREATE INDEX jobs_open_retries ON jobs (retry_of)
  WHERE retry_of IS NOT NULL AND stage NOT IN ('settled', 'abandoned')`,
    `CREATE INDEX jobs_to_clear ON jobs (settled_at_ms)
  WHERE taken_back = 'deleted' AND (reply_message_id IS NOT NULL OR result_path IS NOT NULL)`,
    `CREATE TABLE reports (
  id TEXT PRIMARY KEY,
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  guild_id TEXT NOT NULL,
  reporter_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (job_id, reporter_id)
) STRICT`,
    `CREATE INDEX reports_of_guild ON reports (guild_id, created_at_ms)`,
  ],
};
