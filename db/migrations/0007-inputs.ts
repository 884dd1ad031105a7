import type { Migration } from '../migration.ts';

/** Adds the time since which an input has been kept for a retry, and uploads that can be reused for the same file. */
export const migration0007: Migration = {
  number: 7,
  name: 'inputs',
  statements: [
    `ALTER TABLE job_inputs ADD COLUMN duration_ms INTEGER`,
    `ALTER TABLE job_inputs ADD COLUMN kept_since_ms INTEGER`,
    `ALTER TABLE job_inputs ADD COLUMN reuse TEXT NOT NULL DEFAULT 'allowed' CHECK (reuse IN ('allowed', 'used', 'refused'))`,
    `CREATE INDEX job_inputs_kept ON job_inputs (kept_since_ms) WHERE path IS NOT NULL`,
    `CREATE TABLE uploads (
  id INTEGER PRIMARY KEY,
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  field TEXT NOT NULL,
  user_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('sending', 'kept', 'orphan', 'rejected')),
  file_key TEXT,
  created_at_ms INTEGER NOT NULL,
  CHECK ((state IN ('kept', 'rejected')) = (file_key IS NOT NULL))
) STRICT`,
    `CREATE INDEX uploads_kept ON uploads (user_id, sha256, created_at_ms) WHERE state = 'kept'`,
    `CREATE INDEX uploads_by_input ON uploads (job_id, field)`,
    `CREATE INDEX uploads_by_age ON uploads (created_at_ms)`,
  ],
};
